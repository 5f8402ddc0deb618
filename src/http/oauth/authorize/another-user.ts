import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthorizeDependencies } from './dependencies.ts';
import { formOf, only } from '../../requests/params.ts';
import type { Interaction } from '../../session/interactions.ts';
import { noteClient } from '../../limits/refusals.ts';
import { contextOf } from '../../requests/trace.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { sendFailure } from './continue-authorization.ts';

/** "Not you?" ends this session and leads to the sign-in of the same authorization; the page that was shown is void (AZ-40). */
export const makeAskAnother = ({ browser, commands }: AuthorizeDependencies) => {
  const { base, cookies, interactions } = browser;

  const ask = async (
    http: FastifyRequest,
    reply: FastifyReply,
    interaction: Interaction,
    request: AuthorizationRequest,
    approver: string,
  ): Promise<FastifyReply> => {
    const session = await browser.session(http);
    if (session && session.userId !== approver) return browser.refuseInteraction(reply, 'session-ended');
    if (session) await commands.signOut(session.sessionId, contextOf(http));
    // The add-on's login hint named the wrong user. A provider would sign the same one in again without asking.
    const { login_hint: _hint, ...passedOn } = request.passedOn;
    const asked = { ...request, loginHint: null, passedOn, mustSignIn: true };
    const pending = { kind: 'authorize', request: asked, approver: null } as const;
    const next = await interactions.renew(http, reply, interaction, pending);
    if (!next) return browser.refuseInteraction(reply, 'used');
    cookies.clearSession(reply);
    return reply.redirect(`${base}/oauth/authorize/continue?interaction=${interactions.sign(next)}`, 303);
  };

  return async (http: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const interaction = interactions.verify(http, only(formOf(http), 'interaction'));
    if (typeof interaction === 'string') return browser.refuseInteraction(reply, interaction);
    const { pending } = interaction;
    if (pending.kind !== 'authorize' || pending.approver === null)
      return browser.refuseInteraction(reply, 'malformed');
    noteClient(http, pending.request.clientId);
    try {
      return await ask(http, reply, interaction, pending.request, pending.approver);
    } catch (error) {
      return sendFailure(browser, http, reply, pending.request, error);
    }
  };
};
