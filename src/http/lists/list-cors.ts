/** From any origin: only the token that the script sends decides, never a cookie, so no origin needs trust. */
export const anyOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Link, ETag, Grantbook-Stale, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate',
} as const;

/** For `preflightOf` and `answerPreflight`. */
export const listPreflight = ['GET, HEAD', ['authorization', 'if-none-match']] as const;
