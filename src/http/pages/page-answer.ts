import type { FastifyReply } from 'fastify';

/**
 * Headers of every page (AZ-08). No script may run at all. `form-action` is left to the pages whose forms stay here:
 * browsers apply it to the redirects that follow a form too, so on the way to an add-on it would block the add-on's
 * own redirects, which nobody can list (AZ-43).
 */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'";

export type Leads = 'stays-here' | 'leads-out';

export const sendPage = (reply: FastifyReply, status: number, html: string, leads: Leads): FastifyReply =>
  reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy':
        leads === 'leads-out' ? contentSecurityPolicy : `${contentSecurityPolicy}; form-action 'self'`,
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
    })
    .send(html);
