import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimiter } from '../../limits/rate-limiter.ts';
import type { Addon } from '../../commands/find-addon.ts';
import { clientNetwork } from '../client-network.ts';
import type { Params } from '../params.ts';
import { tellStandings } from '../rate-limits.ts';
import { noteClient } from '../refusals.ts';
import { claimedClientId, isProvenBy } from './client-authentication.ts';
import { sendTokenError, tooManyRequests } from './token-answers.ts';
import type { TokenCors } from './token-cors.ts';

type Name = 'token' | 'revoke' | 'introspect';

/**
 * The limit of an endpoint that add-ons call, judged before anything is done. An add-on has a quota in each network that it calls
 * from, so that a stranger cannot use it up elsewhere; a confidential one only with its secret. All other clients of a
 * network share one quota: made-up ids give nothing.
 */
export const makeClientLimit = <N extends Name>(
  limiter: RateLimiter<N>,
  name: N,
  cors?: Pick<TokenCors, 'allow'>,
) => {
  /** No more than are registered. */
  const seen = new Map<string, Addon>();

  return {
    /**
     * @param owner the add-on whose token is presented, where that alone shows who is calling: a quota that nobody else uses up
     * @returns false when it was one too many; the answer is sent then
     */
    admit: async (
      request: FastifyRequest,
      reply: FastifyReply,
      params: Params,
      owner: string | null = null,
    ): Promise<boolean> => {
      const { authorization, origin } = request.headers;
      const claimed = claimedClientId(authorization, params) ?? '';
      if (claimed !== '') noteClient(request, claimed);
      const addon = seen.get(claimed);
      const proven = addon && isProvenBy(addon, authorization, params) ? addon.addonId : '-';
      const key = owner === null || owner !== claimed ? proven : `${owner} holder`;
      const keys = { [name]: `${key} ${clientNetwork(request)}` } as Record<N, string>;
      const admission = await limiter.admit(keys);
      tellStandings(reply, admission.standings);
      if (admission.admitted) return true;
      if (origin !== undefined && addon) cors?.allow(reply, origin, addon);
      sendTokenError(reply.header('retry-after', String(admission.retryAfter)), tooManyRequests);
      return false;
    },
    /** An add-on that has proved who it is. */
    saw: (addon: Addon): void => void seen.set(addon.addonId, addon),
  };
};
