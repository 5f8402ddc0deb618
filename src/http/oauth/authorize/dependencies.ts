import type { CommandsInContext } from '../../../commands/commands.ts';
import type { Federation } from '../../../federation/federation.ts';
import type { ReadModels } from '../../../projections/read-models.ts';
import type { CountSilentGrant } from '../../../projections/working-state/silent-grants.ts';
import type { IdTokens } from '../../../signing/id-tokens.ts';
import type { Base } from '../../base/dependencies.ts';
import type { Browser } from '../../base/browser.ts';
import type { RateLimits } from '../../limits/counters/rate-limits.ts';

export type AuthorizeDependencies = Pick<Base, 'trusted'> & {
  readonly browser: Browser;
  readonly commands: Pick<
    CommandsInContext,
    | 'addonLogo'
    | 'approveScopes'
    | 'currentAddon'
    | 'findAddon'
    | 'findNamedOrganization'
    | 'issueCode'
    | 'mayApproveFor'
    | 'noteRefusal'
    | 'ownConsent'
    | 'rememberedScopes'
    | 'showActivation'
    | 'signOut'
  >;
  readonly readModels: Pick<ReadModels, 'organization' | 'organizationsAdministeredBy'>;
  readonly federation: Federation;
  readonly idTokens: Pick<IdTokens, 'read'>;
  readonly rateLimits: Pick<RateLimits, 'authorize' | 'signInSteps'>;
  readonly countSilentGrant: CountSilentGrant;
};
