import type { CommandsInContext } from '../../../commands/commands.ts';
import type { Federation } from '../../../federation/federation.ts';
import type { ReadModels } from '../../../projections/read-models.ts';
import type { IdTokens } from '../../../signing/id-tokens.ts';
import type { Base } from '../../base/dependencies.ts';
import type { Browser } from '../../base/browser.ts';
import type { RateLimits } from '../../limits/counters/rate-limits.ts';

export type DiscoveryDependencies = Pick<Base, 'config'> & {
  readonly idTokens: Pick<IdTokens, 'publicKeys'>;
};

export type UserInfoDependencies = Pick<Base, 'config' | 'trusted'> & {
  readonly commands: Pick<
    CommandsInContext,
    'judgeAddonToken' | 'ownerOfExpired' | 'readAddonToken' | 'verifyAccessToken'
  >;
  readonly readModels: Pick<ReadModels, 'judge' | 'namesOfGrant'>;
  readonly rateLimits: Pick<RateLimits, 'resources' | 'signals'>;
};

export type LogoutDependencies = {
  readonly browser: Browser;
  readonly commands: Pick<CommandsInContext, 'currentAddon' | 'findAddon' | 'signOut'>;
  readonly federation: Federation;
  readonly idTokens: Pick<IdTokens, 'read'>;
};
