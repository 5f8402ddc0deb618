import type { FastifyInstance, FastifyReply } from 'fastify';
import { neverCompressed } from '../compression/compress-answers.ts';

/**
 * No script may run, except on the pages of `sendScriptPage`. Only pages whose forms stay here set `form-action`: browsers apply it also to redirects after a
 * form, so on the way to an add-on it would block the add-on's own redirects, which we cannot list (AZ-43).
 */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

/** The pages that ask the browser for a passkey have a script of ours, and nothing else may run there either. */
const withScript = `${contentSecurityPolicy}; script-src 'self'`;

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

/** For pages that are the same for every reader: caches may store them and revalidate them by their tag. */
export const readerHeaders = {
  ...headers,
  'cache-control': 'public, max-age=300',
  'content-security-policy': `${contentSecurityPolicy}; form-action 'none'`,
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

type Page = { readonly leads: Leads; readonly holdsSecret: boolean; readonly policy: string };

const send = (
  reply: FastifyReply,
  status: number,
  html: string,
  { leads, holdsSecret, policy }: Page,
): FastifyReply =>
  reply
    .code(status)
    .headers({
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      ...(holdsSecret && { 'cache-control': neverCompressed }),
      ...(leads === 'stays-here' && own),
      'content-security-policy': leads === 'stays-here' ? `${policy}; form-action 'self'` : policy,
    })
    .send(html);

/** @param holdsSecret not compressed (DO-06). Default: pages with a form, whose secret proves that it is ours, and on the way to an add-on */
export const sendPage = (
  reply: FastifyReply,
  status: number,
  html: string,
  leads: Leads,
  holdsSecret = leads === 'leads-out' || html.includes('<form'),
): FastifyReply => send(reply, status, html, { leads, holdsSecret, policy: contentSecurityPolicy });

/** A page with the script for passkeys (AM-03). Its form contains a secret. */
export const sendScriptPage = (
  reply: FastifyReply,
  status: number,
  html: string,
  leads: Leads,
): FastifyReply => send(reply, status, html, { leads, holdsSecret: true, policy: withScript });
