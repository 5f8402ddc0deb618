import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CommandsInContext } from '../../commands/commands.ts';
import type { AccessTokenClaims } from '../../commands/credentials/access-token.ts';
import type { Scope } from '../../domain/access/scope.ts';
import type { FenceRefusal } from '../../domain/fence/fence.ts';
import type { ReadModels } from '../../projections/read-models.ts';
import { sendProblem } from '../answers/send-problem.ts';
import {
  bearerRefusal,
  openBearer,
  ownerOf,
  refusedByFence,
  sendChallenge,
  type RefusedBearer,
} from '../base/bearer.ts';
import type { Base } from '../base/dependencies.ts';
import type { RateLimits } from '../limits/counters/rate-limits.ts';
import { makeAdmitBearer } from '../limits/rate-limits.ts';
import { noteClient } from '../limits/refusals.ts';
import { protectedResourceUrl } from '../oauth/identity/metadata.ts';
import { anyOrigin } from './list-cors.ts';

export type BearerDependencies = Pick<Base, 'config' | 'trusted'> & {
  readonly commands: Pick<
    CommandsInContext,
    'judgeAddonToken' | 'ownerOfExpired' | 'readAddonToken' | 'verifyAccessToken'
  >;
  readonly readModels: Pick<ReadModels, 'judge'>;
  readonly rateLimits: Pick<RateLimits, 'resources' | 'signals'>;
};

/** What every request of the resource API goes through before it reads anything. */
export const makeAcceptTokens = (dependencies: BearerDependencies) => {
  const { commands, config, trusted } = dependencies;
  const admit = makeAdmitBearer(dependencies);

  /** The challenge names the metadata (RFC 9728 §5.1). */
  const challenge = (reply: FastifyReply, refused: RefusedBearer) =>
    sendChallenge(reply, config.baseUrl, {
      ...refused,
      challenge: `${refused.challenge}, resource_metadata="${protectedResourceUrl(config.baseUrl)}"`,
    });

  return {
    /** What the token says, not yet judged by the fence: that belongs into the snapshot of what is read. Null: the refusal has been sent. */
    accept: async (
      request: FastifyRequest,
      reply: FastifyReply,
      scope: Scope | null,
    ): Promise<AccessTokenClaims | null> => {
      reply.headers(anyOrigin);
      const bearer = openBearer(commands, request, scope);
      noteClient(request, ownerOf(bearer));
      if (bearer.claims && !trusted()) sendProblem(reply, config.baseUrl, 'temporarily-unavailable');
      else if (await admit(request, reply, bearer)) {
        if (bearer.ok) return bearer.claims;
        challenge(reply, await bearerRefusal(bearer, dependencies));
      }
      return null;
    },
    refuse: (reply: FastifyReply, refusal: FenceRefusal): FastifyReply =>
      challenge(reply, refusedByFence(refusal)),
  };
};
