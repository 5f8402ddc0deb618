import type { FastifyInstance, FastifyReply } from 'fastify';
import { neverCompressed } from '../compression/compress-answers.ts';

/**
 * No script may run, except ours on the pages that have one. Only pages whose forms stay here set `form-action`: browsers apply it also to redirects after a
 * form, so on the way to an add-on it would block the add-on's own redirects, which we cannot list (AZ-43).
 */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

/** Of a page whose head names a script: what is in its body cannot allow itself to run. */
const policyFor = (html: string): string =>
  html.slice(0, html.indexOf('</head>')).includes('<script ')
    ? `${contentSecurityPolicy}; script-src 'self'`
    : contentSecurityPolicy;

/** Pages need none of these browser features. */
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

/** AZ-08. Constants: `@fastify/helmet` computes them for each answer (26 µs of CPU), and knows no form that leads out. */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': contentSecurityPolicy,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': permissionsPolicy,
} as const;

/** For pages that are the same for every reader of a language: caches may store them and revalidate them by their tag. */
export const readerHeaders = {
  ...headers,
  'cache-control': 'public, max-age=300',
  // The account says its language.
  vary: 'Accept-Language, Cookie',
  'content-security-policy': `${contentSecurityPolicy}; form-action 'self'`,
} as const;

/** Adds the page headers to every answer of this scope: pages, redirects, refusals and internal errors. */
export const protectPages = (place: FastifyInstance): void => {
  place.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
};

/**
 * `leads-out`: on the way to an add-on, whose window may have opened ours and waits for it to return. Separating the
 * two (COOP) would break every add-on that signs in by a popup.
 */
export type Leads = 'stays-here' | 'leads-out';

const own = {
  'content-security-policy': `${contentSecurityPolicy}; form-action 'self'`,
  'cross-origin-opener-policy': 'same-origin',
} as const;

/** For pages that lead only to our own pages. */
export const pageHeaders = { ...headers, ...own } as const;

/** @param holdsSecret not compressed (DO-06). Default: pages with a form that is posted, whose secret proves that it is ours, and on the way to an add-on */
export const sendPage = (
  reply: FastifyReply,
  status: number,
  html: string,
  leads: Leads,
  holdsSecret = leads === 'leads-out' || html.includes('method="post"'),
): FastifyReply =>
  reply
    .code(status)
    .headers({
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      ...(holdsSecret && { 'cache-control': neverCompressed }),
      ...(leads === 'stays-here' && own),
      'content-security-policy': policyFor(html) + (leads === 'stays-here' ? "; form-action 'self'" : ''),
    })
    .send(html);
