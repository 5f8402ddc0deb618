import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Addon } from '../../commands/addons/find-addon.ts';
import type { CommandContext } from '../../commands/kernel/context.ts';
import type { Member } from '../../commands/publishers/own-addon.ts';
import { identify, isOwnOrigin, unreadParameters } from '../admin/administrators-only.ts';
import type { ProblemKind } from '../answers/problems.ts';
import { sendProblem } from '../answers/send-problem.ts';
import { realm, sendChallenge } from '../base/bearer.ts';
import type { Handler } from '../base/routes.ts';
import { pathId } from '../requests/params.ts';
import { contextOf } from '../requests/trace.ts';
import type { PublisherDependencies } from './dependencies.ts';

export type Call = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly member: Member;
  /** Names the member, and the token if one was sent, in the events. */
  readonly context: CommandContext;
};

/** A call about an add-on of a publisher that the member belongs to at this moment. */
export type OwnCall = Call & { readonly addon: Addon };

type Needs = Pick<PublisherDependencies, 'browser' | 'commands' | 'services'>;

/** By a token for all organizations, or by the session of a browser, which no other site may use. */
export const makeMembersOnly = (dependencies: Needs) => {
  const { browser, commands } = dependencies;
  const { baseUrl } = browser.config;
  const problem = (request: FastifyRequest, reply: FastifyReply, kind: ProblemKind) =>
    sendProblem(request, reply, baseUrl, kind);

  const anyone =
    (act: (call: Call) => Promise<FastifyReply>, readsQuery = false): Handler =>
    async (request, reply) => {
      const who = await identify(dependencies, request);
      if (!who.ok) return sendChallenge(request, reply, baseUrl, who);
      const { userId, tokenId } = who.administrator;
      const refuse = (kind: ProblemKind) =>
        sendChallenge(request, reply, baseUrl, {
          ok: false,
          problem: kind,
          challenge: `${realm}, error="insufficient_scope"`,
        });
      if (who.boundTo !== null) return refuse('administrator-token-for-another-organization');
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (!isRead && tokenId === null && !isOwnOrigin(request, baseUrl))
        return problem(request, reply, 'other-origin');
      const errors = readsQuery ? [] : unreadParameters(request);
      if (errors.length > 0) return sendProblem(request, reply, baseUrl, 'invalid-parameters', { errors });
      const member = { userId, byClaim: who.byClaim };
      return act({
        request,
        reply,
        member,
        context: { ...contextOf(request), acting: { actor: userId, tokenId } },
      });
    };

  return {
    /** With the publishers that the caller belongs to; refused where there is none. */
    ofPublishers: (act: (call: Call, publisherIds: readonly string[]) => Promise<FastifyReply>): Handler =>
      anyone(async (call) => {
        const publisherIds = await publishersOf(dependencies, call.member);
        return publisherIds.length === 0
          ? problem(call.request, call.reply, 'not-a-publisher')
          : act(call, publisherIds);
      }, true),
    /** About the add-on in the path; another's is not found, as an unknown one. @param readsQuery the act itself checks the query */
    ofAddon: (act: (call: OwnCall) => Promise<FastifyReply>, readsQuery = false): Handler =>
      anyone(async (call) => {
        const { request, reply, member } = call;
        const addon = await commands.ownAddon({ addonId: pathId(request, 'client_id'), member });
        return addon ? act({ ...call, addon }) : problem(request, reply, 'addon-unknown');
      }, readsQuery),
  };
};

/** Read models say where to look, and the log whether the user is a member there. */
export const publishersOf = async (
  {
    commands,
    services,
  }: Pick<Needs, 'services'> & { commands: Pick<Needs['commands'], 'isPublisherMember'> },
  { userId, byClaim }: Member,
): Promise<readonly string[]> => {
  const candidates = await services.readModels.publishersOf(userId);
  const isMember = await Promise.all(
    candidates.map((publisherId) => commands.isPublisherMember(publisherId, userId, byClaim)),
  );
  return candidates.filter((_, index) => isMember[index]);
};
