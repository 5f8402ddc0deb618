/**
 * Add-ons in a browser read lists from any origin: only the token that their script sends decides what they see, never
 * a cookie, so no origin needs more trust than another.
 */
export const anyOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Link, ETag, Grantbook-Stale, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate',
} as const;

/** For `preflightOf` and `answerPreflight`. */
export const listPreflight = ['GET, HEAD', ['authorization', 'if-none-match']] as const;
