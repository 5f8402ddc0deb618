import type { FastifyRequest } from 'fastify';

/**
 * Whether a link, form or script of another site caused the request, according to the browser (Fetch Metadata). A
 * browser that does not say, and a program, count as asked by their user; `none` is a typed or bookmarked address.
 */
export const isFromAnotherSite = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] === 'cross-site' || headers['sec-fetch-site'] === 'same-site';
