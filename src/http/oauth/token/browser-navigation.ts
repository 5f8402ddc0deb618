import type { FastifyRequest } from 'fastify';

/**
 * Whether a browser shows the answer to a person, who is then sent on to the redirect URI (S3). `Accept` does not tell:
 * Java's HttpURLConnection prefers `text/html` by default, and would follow a redirect without reading the tokens.
 */
export const isBrowserNavigation = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers.authorization === undefined;
