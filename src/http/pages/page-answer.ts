import type { FastifyInstance, FastifyReply } from 'fastify';
import { neverCompressed } from '../compression/compress-answers.ts';

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

/** Of a page that leads nowhere but on these pages. */
export const pageHeaders = { ...headers, ...own } as const;

/**
 * @param holdsSecret such a page is never compressed (DO-06); by default every page with a form, which holds what
 * proves that the form is ours, and every page on the way to an add-on, so that nothing tells which of them was shown
 */
export const sendPage = (
  reply: FastifyReply,
  status: number,
  html: string,
  leads: Leads,
  holdsSecret = leads === 'leads-out' || html.includes('<form'),
): FastifyReply =>
  reply
    .code(status)
    .headers({
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      ...(holdsSecret && { 'cache-control': neverCompressed }),
      ...(leads === 'stays-here' && own),
    })
    .send(html);
