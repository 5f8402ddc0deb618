import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../../commands/commands.ts';
import type { Browser } from '../browser.ts';
import type { Handler } from '../routes.ts';
import { isOwnForm, refuseForm } from '../session/sign-out.ts';

export type Act = (session: Session, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** For whoever is signed in, and by a form of ours; everybody else signs in first and comes to the account. */
export const makeSignedIn =
  (browser: Browser) =>
  (act: Act): Handler =>
  async (request, reply) => {
    const session = await browser.session(request);
    if (!session) return reply.redirect(`${browser.base}/sign-in?return_to=%2Faccount`, 303);
    if (request.method === 'POST' && !isOwnForm(browser, session, request)) return refuseForm(browser, reply);
    return act(session, request, reply);
  };
