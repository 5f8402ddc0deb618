import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Browser } from '../../base/browser.ts';
import type { AuthorizeDependencies } from './dependencies.ts';
import type { Session } from '../../../commands/sign-in/read-session.ts';
import { formOf, isRepeated, one, type Params } from '../../requests/params.ts';
import type { Interaction } from '../../session/interactions.ts';
import type { RefusalReason } from '../../limits/refusal-reasons.ts';
import { noteClient, noteReason } from '../../limits/refusals.ts';
import { contextOf } from '../../requests/trace.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { makeIssue } from './issue.ts';
import { recheck } from './recheck.ts';
import { audiencesOf } from '../token/resources.ts';
import { isFresh, type PendingAuthorization } from './next-step.ts';
import { refuse, sendFailure } from './continue-authorization.ts';
import { makeFindCandidates } from './subject-candidates.ts';

/** Handles the form of the approval page. Accepted once, from the user and the browser that were asked (AZ-40). */
export const makeConsentDecision = (dependencies: AuthorizeDependencies) => {
  const { browser, commands } = dependencies;
  const findCandidates = makeFindCandidates(dependencies);
  const issue = makeIssue(dependencies);

  /** An organization that activated and deactivated the add-on meanwhile is no candidate; the others remain. */
  const findChosen = async (session: Session, request: AuthorizationRequest, subject: string | undefined) => {
    const audiences = audiencesOf(request.resources, browser.config.baseUrl);
    const find = async (whose: Session) =>
      (await findCandidates(whose, request.clientId, audiences, request.select)).candidates;
    const meant = await find(session);
    const candidates = meant.length > 0 ? meant : await find({ ...session, handOffs: [] });
    return candidates.find(({ key }) => key === subject);
  };

  const decide = async (
    http: FastifyRequest,
    reply: FastifyReply,
    interaction: Interaction,
    pending: PendingAuthorization,
    approver: string,
  ): Promise<FastifyReply> => {
    const { request } = pending;
    const rechecked = await recheck(dependencies, reply, request);
    if ('sent' in rechecked) return rechecked.sent;
    const form = formOf(http);
    const session = await browser.session(http);
    if (session?.userId !== approver || !isFresh(session, pending))
      return browser.refuseInteraction(reply, 'session-ended');
    const chosen = await findChosen(session, request, one(form, 'subject'));
    if (!(await browser.interactions.consume(http, reply, interaction)))
      return browser.refuseInteraction(reply, 'used');
    const denied = (why: string, reason: RefusalReason) =>
      refuse(browser, reply, request, 'access_denied', why, reason);
    if (one(form, 'decision') === 'deny') return denied('the user did not allow it', 'user-did-not-allow');
    if (!chosen) {
      const organizationId = (one(form, 'subject') ?? '').replace(/^organization:/, '');
      await commands.noteRefusal(
        { organizationId, addonId: request.clientId, userId: approver },
        contextOf(http),
      );
      return denied('the add-on is not active for the choice', 'addon-not-active');
    }
    const { userId } = session;
    const { clientId: addonId, scopes } = request;
    const audiences = audiencesOf(request.resources, browser.config.baseUrl);
    await commands.approveScopes(
      {
        userId,
        addonId,
        subject: chosen.subject,
        scopes,
        audiences,
        ...(pending.choice !== undefined && { choice: pending.choice }),
      },
      contextOf(http),
    );
    return issue(reply, request, session, chosen);
  };

  return async (http: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const form = formOf(http);
    const interaction = browser.interactions.verify(http, one(form, 'interaction'));
    if (typeof interaction === 'string') return browser.refuseInteraction(reply, interaction);
    const { pending } = interaction;
    if (pending.kind !== 'authorize' || pending.approver === null)
      return browser.refuseInteraction(reply, 'malformed');
    noteClient(http, pending.request.clientId);
    const wrong = wrongField(form);
    if (wrong) return badDecision(browser, reply, wrong);
    try {
      return await decide(http, reply, interaction, pending, pending.approver);
    } catch (error) {
      return sendFailure(browser, http, reply, pending.request, error);
    }
  };
};

/** The first field that our page cannot have sent. */
const wrongField = (form: Params): string | null => {
  const repeated = ['interaction', 'decision', 'subject'].find((name) => isRepeated(form, name));
  if (repeated) return repeated;
  const decision = one(form, 'decision');
  if (decision !== 'approve' && decision !== 'deny') return 'decision';
  return decision === 'approve' && one(form, 'subject') === undefined ? 'subject' : null;
};

const badDecision = (browser: Browser, reply: FastifyReply, field: string): Promise<FastifyReply> => {
  noteReason(reply.request, 'form-incomplete');
  return browser.message(reply, 400, ({ impossible }) => ({
    title: impossible.answerAgain,
    message: impossible.answerAgainWhy,
    detail: `${field} is missing, repeated or not one of the choices`,
  }));
};
