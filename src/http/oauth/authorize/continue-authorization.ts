import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Browser } from '../../base/browser.ts';
import type { AuthorizeDependencies } from './dependencies.ts';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import type { Session } from '../../../commands/sign-in/read-session.ts';
import { makeLeave } from '../../federation/redirect-to-provider.ts';
import { classifyFailure, cureOf } from '../../answers/failures.ts';
import { retryAfter } from '../../answers/problems.ts';
import type { RefusalReason } from '../../limits/refusal-reasons.ts';
import { noteClient } from '../../limits/refusals.ts';
import type { Interaction } from '../../session/interactions.ts';
import { contextOf } from '../../requests/trace.ts';
import { sendAuthorizationError } from './authorization-answers.ts';
import { accessOnHold } from '../token/token-answers.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { makeIssue } from './issue.ts';
import {
  isFresh,
  type PendingAuthorization,
  stepWithoutSession,
  stepWithSession,
  type Step,
} from './next-step.ts';
import { audiencesOf } from '../token/resources.ts';
import { makeAuthorizationPages } from './authorization-pages.ts';
import { refuseTooMany } from './too-many-authorizations.ts';
import { makeFindCandidates } from './subject-candidates.ts';

/** Leads a checked request to its next step: a page, or a code or error for the add-on. */
export const makeContinueAuthorization = (dependencies: AuthorizeDependencies) => {
  const { browser, commands, countSilentGrant } = dependencies;
  const findCandidates = makeFindCandidates(dependencies);
  const show = makeAuthorizationPages(dependencies, makeLeave(dependencies));
  const issue = makeIssue(dependencies);

  const stepFor = async (
    pending: PendingAuthorization,
    addon: Addon,
    session: Session | null,
  ): Promise<Step> => {
    if (!isFresh(session, pending)) return stepWithoutSession(pending.request);
    const audiences = audiencesOf(pending.request.resources, browser.config.baseUrl);
    const { select } = pending.request;
    const candidates = await findCandidates(session, addon.addonId, audiences, select);
    return stepWithSession(pending.request, addon, session, candidates);
  };

  /** The browser may follow the redirect to this step twice, after a double click: both get the same code. */
  const admit = async (http: FastifyRequest, reply: FastifyReply, { id, expiresAt }: Interaction) => {
    browser.interactions.remember(http, reply, id);
    const admitted = await browser.sentOnce.admit(http, reply, {
      id,
      secret: browser.signer.proofOf(`continue\n${id}`), // the row has the id
      sent: 'continue',
      expiresAt,
    });
    if (admitted === 'used') await browser.refuseInteraction(reply, 'used');
    return admitted === 'first';
  };

  const take = async (
    http: FastifyRequest,
    reply: FastifyReply,
    addon: Addon,
    pending: PendingAuthorization,
    opened: Interaction | null,
  ): Promise<FastifyReply> => {
    const session = await browser.session(http);
    const step = await stepFor(pending, addon, session);
    const interaction = () => opened ?? browser.interactions.begin(http, reply, pending);
    if (step.kind === 'sign-in')
      return show.signIn(http, reply, addon, interaction(), pending.request, session);
    if (step.kind === 'approve')
      return show.approval(reply, addon, interaction(), pending, step.session, step.candidates);
    if (step.kind === 'impossible') {
      const { impossible, session: asked } = step;
      if (impossible.why === 'not-active') {
        const { organizationId } = impossible;
        const seen = { organizationId, addonId: addon.addonId, userId: asked.userId };
        await commands.noteRefusal(seen, contextOf(http));
      }
      return show.impossible(reply, addon, interaction(), pending, asked, impossible);
    }
    if (step.kind === 'issue') {
      // What is used does not count towards the limit.
      if (opened && (await browser.interactions.isUsed(opened)))
        return (await admit(http, reply, opened)) ? browser.refuseInteraction(reply, 'used') : reply;
      const seconds = await countSilentGrant(step.session.sessionId, addon.addonId);
      const { request } = pending;
      if (seconds !== null)
        return refuseTooMany(
          browser,
          reply,
          { seconds, reason: 'too-many-grants' },
          request.prompt.includes('none') ? request : null,
          request,
        );
    }
    if (opened && !(await admit(http, reply, opened))) return reply;
    if (step.kind === 'issue') return issue(reply, pending.request, step.session, step.candidate);
    const isOfHandOff = step.error === 'access_denied' && !pending.request.select;
    if (isOfHandOff && session) await noteHandOff(commands, http, session, addon.addonId);
    return refuse(browser, reply, pending.request, step.error, step.description, step.reason);
  };

  return async (...given: Parameters<typeof take>): Promise<FastifyReply> => {
    const [http, reply, , { request }] = given;
    try {
      return await take(...given);
    } catch (error) {
      return sendFailure(browser, http, reply, request, error);
    }
  };
};

/** Records the refusal if the organization that just activated the add-on has deactivated it meanwhile (AC-01, AZ-23). */
const noteHandOff = async (
  { noteRefusal }: AuthorizeDependencies['commands'],
  http: FastifyRequest,
  { userId, handOffs }: Session,
  addonId: string,
) => {
  const handOff = handOffs.findLast((candidate) => candidate.addonId === addonId);
  if (handOff)
    await noteRefusal({ organizationId: handOff.organizationId, addonId, userId }, contextOf(http));
};

export const refuse = (
  { config }: Browser,
  reply: FastifyReply,
  { clientId, redirectUri, state }: AuthorizationRequest,
  ...told: [Parameters<typeof sendAuthorizationError>[3], string, RefusalReason]
): FastifyReply => {
  noteClient(reply.request, clientId);
  return sendAuthorizationError(reply, config.issuer, { redirectUri, state, by: 'query' }, ...told);
};

/** Even an internal error is redirected to the add-on, which can then inform its user (AZ-24). */
export const sendFailure = (
  browser: Browser,
  http: FastifyRequest,
  reply: FastifyReply,
  request: AuthorizationRequest,
  error: unknown,
): FastifyReply => {
  const failure = classifyFailure(error);
  if (failure === 'unavailable') {
    browser.logger.warn({ err: error, requestId: http.id }, 'authorization failed: temporarily unavailable');
    reply.header('retry-after', retryAfter);
    return refuse(
      browser,
      reply,
      request,
      'temporarily_unavailable',
      cureOf(error) ?? 'try again in a moment',
      'unavailable',
    );
  }
  if (failure === 'on-hold') return refuse(browser, reply, request, 'access_denied', accessOnHold, failure);
  browser.logger.error({ err: error, requestId: http.id }, 'authorization failed');
  return refuse(browser, reply, request, 'server_error', 'internal error', 'internal-error');
};
