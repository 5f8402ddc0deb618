import type { FastifyRequest } from 'fastify';

/**
 * Whether a link, a form or a script of another site made the browser ask, by its own word (Fetch Metadata). A browser that
 * says nothing and a program are believed to be asked by their user; `none` is an address that was typed or kept.
 */
export const isFromAnotherSite = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] === 'cross-site' || headers['sec-fetch-site'] === 'same-site';
