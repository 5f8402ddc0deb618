import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Add-ons in a browser read lists from any origin: only the token that their script sends decides what they see, never
 * a cookie, so no origin needs more trust than another.
 */
export const anyOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Link, ETag, Grantbook-Stale, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate',
} as const;

/** Browsers send a preflight without the token before a script may send one (Fetch §4.8). */
export const preflight = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply
    .code(204)
    .headers({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'authorization, if-none-match',
      'access-control-max-age': '600',
    })
    .send();
