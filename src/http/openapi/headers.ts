export const headerWords = {
  'Accept-Patch': 'Which media types `PATCH` takes (RFC 5789).',
  'Access-Control-Allow-Headers': 'Headers that another site’s script may send.',
  'Access-Control-Allow-Methods': 'Methods that another site’s script may use.',
  'Access-Control-Allow-Origin': 'Which site’s scripts may read the answer.',
  'Access-Control-Expose-Headers': 'What other sites’ scripts may read besides the body.',
  'Access-Control-Max-Age': 'Seconds for which a browser may remember this.',
  Allow: 'The methods that the address offers.',
  'Cache-Control': 'Who may keep the answer, and for how long.',
  'Content-Encoding':
    'How the body is compressed; only where the request accepts it. Absent for short bodies and for those that must not be.',
  'Content-Security-Policy': 'What the page may load, and what it may do.',
  'Cross-Origin-Opener-Policy': 'Keeps the page apart from windows of other sites.',
  'Cross-Origin-Resource-Policy': 'No other site may embed it.',
  ETag: 'Changes with the answer; send it as `If-None-Match`.',
  'Grantbook-Stale':
    '`?1`: changes of the list are held back and will be shown later; ask again. Absent otherwise.',
  Link: 'The neighbouring pages, and the first and last (RFC 8288).',
  Location: 'Where to go next.',
  'Permissions-Policy': 'What the page will never ask for: camera, place and so on.',
  Pragma: 'For very old caches.',
  RateLimit:
    'The remaining quota: `r` requests in the next `t` seconds, under each policy. Absent until it is known whose quota it is, and when no limit is switched on.',
  'RateLimit-Policy': 'The limits: `q` requests in `w` seconds, each. Absent when none is switched on.',
  'Referrer-Policy': 'Keeps the address to ourselves.',
  'Retry-After': 'Seconds after which to try again.',
  'Set-Cookie':
    'The session, the accounts that know this browser, or its pending forms. Not readable by scripts.',
  'Strict-Transport-Security': 'Use only TLS from now on. Absent where the public address is plain http.',
  Vary: 'What else the answer depends on.',
  'WWW-Authenticate': 'The required authentication, and what was wrong with the one that was sent.',
  'X-Content-Type-Options': 'The content type is what it says.',
  'X-Frame-Options': 'No other page may frame this one.',
} as const;

export type HeaderName = keyof typeof headerWords;

export type HeaderUse = {
  readonly required: boolean;
  /** Its fixed value, if it has only one. */
  readonly value?: string;
  readonly example?: string;
};

export type HeaderUses = Partial<Record<HeaderName, HeaderUse>>;

export const always = (value?: string): HeaderUse => ({
  required: true,
  ...(value !== undefined && { value }),
});
export const sometimes = (value?: string): HeaderUse => ({
  required: false,
  ...(value !== undefined && { value }),
});
/** As `like`, for a header that is optional. */
export const maybeLike = (example: string): HeaderUse => ({ required: false, example });
export const like = (example: string): HeaderUse => ({ required: true, example });
