import type { FastifyRequest } from 'fastify';

/**
 * Whether a browser is showing the answer to a person, who is then sent on to the redirect URI (S3). `Accept` says nothing of
 * it: Java's HttpURLConnection prefers `text/html` by default, and follows a redirect without the tokens.
 */
export const isBrowserNavigation = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers.authorization === undefined;
