import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionEnded } from '../account/views/account-page.ts';
import type { Browser, Visitor } from '../base/browser.ts';
import { admitting, type Handler } from '../base/routes.ts';
import { longestReturnTo } from './sign-in.ts';
import { acceptForm } from './sign-out.ts';

export type Act = (session: Visitor, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Tells the next page that a form was not processed, because the session had ended. */
const withSessionEnded = (path: string): string => `${path}?problem=${sessionEnded}`;

/**
 * Only signed-in users pass, and forms made for this session. `backTo`: where to go after signing in, under `base`. Of a user whose session
 * has ended the form is read, too: if it was sent before, and ended the session, it is answered like the first (FX-20).
 */
export const makeSignedIn = (browser: Browser, backTo: (request: FastifyRequest) => string) => {
  const check = async (request: FastifyRequest, reply: FastifyReply, isRead: boolean) => {
    const session = await browser.session(request, true);
    if (session) return { caller: session };
    if (!isRead && browser.sentOnce.mayEndSession(request)) return undefined;
    const to = request.method === 'POST' ? withSessionEnded(backTo(request)) : backTo(request);
    const returnTo = to.length > longestReturnTo ? to.replace(/\?.*/, '') : to;
    return reply.redirect(`${browser.base}/sign-in?return_to=${encodeURIComponent(returnTo)}`, 303);
  };
  return (act: Act): Handler =>
    admitting(check, async (session, request, reply) => {
      if (request.method === 'POST' && !(await acceptForm(browser, session, reply, backTo(request))))
        return reply;
      return act(session, request, reply);
    });
};
