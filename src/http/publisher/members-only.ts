import { refuseParameters } from '../lists/page-parameters.ts';
import { queryOf } from '../requests/params.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ownOf, publishersOf } from '../../tasks/publishing/facts.ts';
import type { Services } from '../../tasks/task.ts';
import type { Member } from '../../commands/publishers/own-addon.ts';
import { identify, isOwnOrigin } from '../admin/administrators-only.ts';
import type { ProblemKind } from '../answers/problems.ts';
import { sendProblem } from '../answers/send-problem.ts';
import { realm, sendChallenge } from '../base/bearer.ts';
import { admitting, type Handler } from '../base/routes.ts';
import { contextOf } from '../requests/trace.ts';
import type { Call } from '../tasks/task-api.ts';
import type { PublisherDependencies } from './dependencies.ts';
import type { Usage } from '../../projections/usage-counts/read-usage.ts';
import { explanationOf } from '../docs/explanations.ts';
import type { AddonUsage } from '../../tasks/publishing/answers.ts';

/** What the table of own add-ons is carried out with for this member. */
export const servicesFor = (
  { services, readUsage, browser: { config } }: PublisherDependencies,
  member: Member,
): Services => ({
  ...services,
  own: {
    member,
    isFree: config.publisherChanges === 'free',
    usage: async (addonId, days) => presentUsage(config.baseUrl, await readUsage(addonId, days)),
  },
});

/** By a token for all organizations, or by the session of a browser, which no other site may use. */
export const makeMembersOnly = (dependencies: PublisherDependencies) => {
  const { baseUrl } = dependencies.browser.config;
  const problem = ({ reply }: Pick<Call, 'request' | 'reply'>, kind: ProblemKind) =>
    sendProblem(reply, baseUrl, kind);

  /** The act itself checks the query of a request that only reads. */
  const callOf = async (request: FastifyRequest, reply: FastifyReply) => {
    const who = await identify(dependencies, request);
    if (!who.ok) return sendChallenge(reply, baseUrl, who);
    const { userId, tokenId } = who.administrator;
    if (who.boundTo !== null)
      return sendChallenge(reply, baseUrl, {
        ok: false,
        problem: 'administrator-token-for-another-organization',
        challenge: `${realm}, error="insufficient_scope"`,
      });
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead && tokenId === null && !isOwnOrigin(request, baseUrl))
      return problem({ request, reply }, 'other-origin');
    const errors = isRead ? [] : refuseParameters(queryOf(request));
    if (errors.length > 0) return sendProblem(reply, baseUrl, 'invalid-parameters', { errors });
    const services = servicesFor(dependencies, { userId, byClaim: who.byClaim });
    const context = { ...contextOf(request), acting: { actor: userId, tokenId } };
    return { caller: { request, reply, services, context } };
  };
  const anyone = (act: (call: Call) => Promise<FastifyReply>): Handler => admitting(callOf, act);

  return {
    anyone,
    ofPublishers: (act: (call: Call) => Promise<FastifyReply>): Handler =>
      anyone(async (call) =>
        (await publishersOf(call.services, ownOf(call.services).member)).length === 0
          ? problem(call, 'not-a-publisher')
          : act(call),
      ),
    withoutQuery: (act: (call: Call) => Promise<FastifyReply>): Handler =>
      anyone(async (call) => {
        const errors = refuseParameters(queryOf(call.request));
        return errors.length > 0
          ? sendProblem(call.reply, baseUrl, 'invalid-parameters', { errors })
          : act(call);
      }),
  };
};

const presentUsage = (baseUrl: string, { since, days }: Usage): AddonUsage => ({
  counted_since: new Date(since).toISOString(),
  days: days.map(({ day, tokens, requests, refusals, limits }) => ({
    day: new Date(day).toISOString().slice(0, 10),
    tokens,
    requests,
    refusals: refusals.map(({ endpoint, reason, count, lastAt, lastRequestId }) => ({
      endpoint,
      reason,
      count,
      last_at: new Date(lastAt).toISOString(),
      last_request_id: lastRequestId,
      explanation: explanationOf(baseUrl, endpoint, reason),
    })),
    limits,
  })),
});
