import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthorizeDependencies } from './dependencies.ts';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import { clientNetwork } from '../../requests/client-network.ts';
import { one, type Params } from '../../requests/params.ts';
import { tellStandings } from '../../limits/rate-limits.ts';
import { checkAuthorization } from './check-authorization.ts';
import { refuseTooMany } from './too-many-authorizations.ts';

/** The limit of `/oauth/authorize`: by add-on and network, as at the token endpoint. */
export const makeAuthorizeLimit = (
  dependencies: AuthorizeDependencies,
  findAddon: (dependencies: AuthorizeDependencies, params: Params) => Promise<Addon | null>,
) => {
  const { browser } = dependencies;
  const { authorize } = dependencies.rateLimits;
  /** Ids that this instance knows to be registered; all other ids of a network share one quota. */
  const seen = new Set<string>();

  /** Where a silent request (`prompt=none`) may be answered: only once client and redirect URI are trusted. */
  const returnAddress = async (params: Params) => {
    if (!(one(params, 'prompt') ?? '').split(' ').includes('none')) return null;
    const checked = checkAuthorization(params, await findAddon(dependencies, params), browser.now());
    if (checked.kind === 'page') return null;
    return checked.kind === 'redirect' ? checked.address : checked.request;
  };

  return {
    /** @returns false when the limit is exceeded; the answer has been sent then */
    admit: async (request: FastifyRequest, reply: FastifyReply, params: Params): Promise<boolean> => {
      const claimed = one(params, 'client_id') ?? '';
      const key = `${seen.has(claimed) ? claimed : '-'} ${clientNetwork(request)}`;
      const admission = await authorize.admit({ authorize: key });
      tellStandings(reply, admission.standings);
      if (admission.admitted) return true;
      await refuseTooMany(
        browser,
        reply,
        { seconds: admission.retryAfter, reason: 'too-many-requests' },
        await returnAddress(params),
      );
      return false;
    },
    saw: (addonId: string): void => void seen.add(addonId),
  };
};
