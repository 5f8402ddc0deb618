import type { FastifyInstance, FastifyReply } from 'fastify';

/**
 * No script may run at all. `form-action` is left to the pages whose forms stay here: browsers apply it to the
 * redirects that follow a form too, so on the way to an add-on it would block the add-on's own redirects, which
 * nobody can list (AZ-43).
 */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

/** What a page of ours has no use for, no page of ours may use. */
const permissionsPolicy = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'usb',
]
  .map((feature) => `${feature}=()`)
  .join(', ');

/** AZ-08. */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': contentSecurityPolicy,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': permissionsPolicy,
} as const;

/** Of pages that are the same for every reader: they may be kept, and asked for again only by their tag. */
export const readerHeaders = {
  ...headers,
  'cache-control': 'public, max-age=300',
  'content-security-policy': `${contentSecurityPolicy}; form-action 'none'`,
} as const;

/** Every answer of this place carries the headers of a page: pages, redirects between them, refusals and crashes. */
export const protectPages = (place: FastifyInstance): void => {
  place.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
};

/**
 * `leads-out`: on the way to an add-on, whose window may have opened ours and waits for it to come back. Cutting the
 * two apart (COOP) would break every add-on that signs in by a popup.
 */
export type Leads = 'stays-here' | 'leads-out';

const own = {
  'content-security-policy': `${contentSecurityPolicy}; form-action 'self'`,
  'cross-origin-opener-policy': 'same-origin',
} as const;

export const sendPage = (reply: FastifyReply, status: number, html: string, leads: Leads): FastifyReply =>
  reply
    .code(status)
    .headers({ ...headers, 'content-type': 'text/html; charset=utf-8', ...(leads === 'stays-here' && own) })
    .send(html);
