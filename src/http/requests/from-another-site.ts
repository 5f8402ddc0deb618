import type { FastifyRequest } from 'fastify';

/** Whether another site's link, form or script caused the request (Fetch Metadata); not where the browser does not say. */
export const isFromAnotherSite = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] === 'cross-site' || headers['sec-fetch-site'] === 'same-site';
