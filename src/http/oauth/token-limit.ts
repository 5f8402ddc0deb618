import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Addon } from '../../commands/commands.ts';
import { clientNetwork } from '../client-network.ts';
import type { HttpNeeds } from '../needs.ts';
import type { Params } from '../params.ts';
import { noteClient } from '../refusals.ts';
import { tellStandings } from '../rate-limits.ts';
import { claimedClientId } from './client-authentication.ts';
import { sendTokenError, tooManyRequests } from './token-answers.ts';
import type { TokenCors } from './token-cors.ts';

/**
 * The limit of the token endpoint, judged before anything is looked up. An add-on has a quota in each network that it calls
 * from, so that a stranger cannot use it up elsewhere. All clients of a network that this instance has not seen prove
 * themselves share one quota: made-up ids give nothing.
 */
export const makeTokenLimit = (
  { rateLimits: { token } }: Pick<HttpNeeds, 'rateLimits'>,
  cors: Pick<TokenCors, 'allow'>,
) => {
  /** No more than are registered. */
  const seen = new Map<string, Addon>();

  return {
    /** @returns false when it was one too many; the answer is sent then */
    admit: async (request: FastifyRequest, reply: FastifyReply, params: Params): Promise<boolean> => {
      const { authorization, origin } = request.headers;
      const claimed = claimedClientId(authorization, params);
      noteClient(request, claimed);
      const addon = seen.get(claimed ?? '');
      const admission = await token.admit({ token: `${addon?.addonId ?? '-'} ${clientNetwork(request)}` });
      tellStandings(reply, admission.standings);
      if (admission.admitted) return true;
      if (origin !== undefined && addon) cors.allow(reply, origin, addon);
      sendTokenError(reply.header('retry-after', String(admission.retryAfter)), tooManyRequests);
      return false;
    },
    /** An add-on that has proved who it is. */
    saw: (addon: Addon): void => void seen.set(addon.addonId, addon),
  };
};
