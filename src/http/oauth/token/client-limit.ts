import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimiter } from '../../limits/counters/rate-limiter.ts';
import type { Commands } from '../../../commands/commands.ts';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import { clientNetwork } from '../../requests/client-network.ts';
import { tellStandings } from '../../limits/rate-limits.ts';
import { noteClient, noteLimits } from '../../limits/refusals.ts';
import { claimedClientId, isProvenBy, type SentClient } from './client-authentication.ts';
import { sendTokenError, tooManyRequests } from './token-answers.ts';
import type { TokenCors } from './token-cors.ts';

type Name = 'token' | 'revoke' | 'introspect';

/**
 * One quota for an add-on and network, so no stranger uses it up; a confidential one only with its secret. All others of a network share
 * one: made-up ids gain nothing.
 */
export const makeClientLimit = <N extends Name>(
  limiter: RateLimiter<N>,
  name: N,
  { findAddon }: Pick<Commands, 'findAddon'>,
  cors?: Pick<TokenCors, 'allow'>,
) => {
  const seen = new Map<string, Addon>();

  /**
   * A confidential one as it is now: a secret that was removed proves nothing (FX-33). The authentication that follows
   * finds the same in the directory's memory. Where it cannot be read, the last one counts.
   */
  const known = async (claimed: string): Promise<Addon | undefined> => {
    const last = seen.get(claimed);
    if (!last || last.secretDigests.length === 0) return last;
    return (await findAddon(claimed).catch(() => null)) ?? last;
  };

  return {
    /** @param owner the add-on whose token alone authenticates: it has its own quota @returns false above the limit: the answer has been sent */
    admit: async (
      request: FastifyRequest,
      reply: FastifyReply,
      sent: SentClient,
      owner: string | null = null,
    ): Promise<boolean> => {
      const { origin } = request.headers;
      const claimed = claimedClientId(sent) ?? '';
      if (claimed !== '') noteClient(request, claimed);
      const addon = await known(claimed);
      const proven = addon && isProvenBy(addon, sent) ? addon.addonId : '-';
      const key = owner === null || owner !== claimed ? proven : `${owner} holder`;
      const keys = { [name]: `${key} ${clientNetwork(request)}` } as Record<N, string>;
      const admission = await limiter.admit(keys);
      tellStandings(reply, admission.standings);
      if (admission.admitted) return true;
      noteLimits(request, admission.standings);
      if (origin !== undefined && addon) cors?.allow(reply, origin, addon);
      sendTokenError(reply.header('retry-after', String(admission.retryAfter)), tooManyRequests);
      return false;
    },
    saw: (addon: Addon): void => void seen.set(addon.addonId, addon),
  };
};
