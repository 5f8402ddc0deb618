import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Browser } from '../browser.ts';
import type { Session } from '../../commands/read-session.ts';
import type { Handler } from '../routes.ts';
import { sessionEnded } from '../pages/session-ended.ts';
import { isOwnForm, refuseForm } from './sign-out.ts';

export type Act = (session: Session, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** What a form wanted was not done, and is asked for anew: the page that is shown then says so. */
const withSessionEnded = (path: string): string => `${path}?problem=${sessionEnded}`;

/**
 * Lets only somebody who is signed in come by, and only with a form of this session when something is to be done.
 * @param backTo where everybody else goes after signing in: a path under `base`
 */
export const makeSignedIn =
  (browser: Browser, backTo: (request: FastifyRequest) => string) =>
  (act: Act): Handler =>
  async (request, reply) => {
    const session = await browser.session(request);
    if (!session) {
      const to = request.method === 'POST' ? withSessionEnded(backTo(request)) : backTo(request);
      return reply.redirect(`${browser.base}/sign-in?return_to=${encodeURIComponent(to)}`, 303);
    }
    if (request.method === 'POST' && !isOwnForm(browser, session, request)) return refuseForm(browser, reply);
    return act(session, request, reply);
  };
