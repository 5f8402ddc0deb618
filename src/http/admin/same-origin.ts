import type { FastifyRequest } from 'fastify';

/**
 * Whether a request that changes something comes from a page of ours, or from no browser at all. Every browser names
 * the origin of a PUT or DELETE, and most also send `Sec-Fetch-Site`; a program with a cookie file sends neither.
 */
export const isOwnOrigin = ({ headers }: FastifyRequest, baseUrl: string): boolean => {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return headers.origin === undefined || headers.origin === new URL(baseUrl).origin;
};
