import type { CommandsInContext } from '../../../commands/commands.ts';
import type { ReadModels } from '../../../projections/read-models.ts';
import type { IdTokens } from '../../../signing/id-tokens.ts';
import type { Base } from '../../base/dependencies.ts';
import type { RateLimits } from '../../limits/counters/rate-limits.ts';

/** What the endpoints use that add-ons call with their credentials: token, revocation, introspection. */
export type TokenDependencies = Pick<Base, 'config' | 'logger' | 'now' | 'trusted'> & {
  readonly commands: Pick<
    CommandsInContext,
    | 'exchangeCode'
    | 'findAddon'
    | 'introspectToken'
    | 'issueAddonToken'
    | 'refreshToken'
    | 'revokeToken'
    | 'tokenOwner'
  >;
  readonly readModels: Pick<ReadModels, 'addons' | 'organization'>;
  readonly idTokens: Pick<IdTokens, 'issue'>;
  readonly rateLimits: Pick<RateLimits, 'introspect' | 'ownTokens' | 'revoke' | 'token'>;
};
