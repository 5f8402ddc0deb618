import { breakGlass } from '../../domain/kernel/actor.ts';
import {
  addAdministrator,
  type Organization,
  type RemovalRefusal,
  removeAdministrator,
} from '../../domain/organizations/organization.ts';
import { changeOrganization, type UserOfOrganization } from './change-organization.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { Changed, Outcome } from '../kernel/outcome.ts';
import { makeRevokeTokensOfFormerAdministrator } from '../people/tokens/revoke-tokens-of-former-administrator.ts';
import { accountNow } from '../../eventstore/state-of.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now'>;

/** Makes a user an administrator of an organization. Adding twice changes nothing. */
export const makeAddAdministrator =
  (dependencies: Dependencies) =>
  async (
    request: UserOfOrganization,
    context?: CommandContext,
  ): Promise<Outcome<Changed, 'organization-unknown' | 'user-unknown' | 'user-erased'>> => {
    const { status } = await accountNow(dependencies.store, request.userId);
    if (status === 'absent') return { ok: false, refusal: 'user-unknown' };
    if (status === 'erased') return { ok: false, refusal: 'user-erased' };
    return changeOrganization(dependencies, request, addAdministrator, context);
  };

/** Removes an administrator and, permanently, the user's tokens for the organization. Removing again completes what was interrupted. */
export const makeRemoveAdministrator = (dependencies: Dependencies) => {
  const revokeTokens = makeRevokeTokensOfFormerAdministrator(dependencies);
  return async (
    request: UserOfOrganization & { readonly force?: boolean },
    context?: CommandContext,
  ): Promise<Outcome<Changed, RemovalRefusal | 'user-unknown'>> => {
    const { organizationId, userId, reason } = request;
    if ((await accountNow(dependencies.store, userId)).status === 'absent')
      return { ok: false, refusal: 'user-unknown' };
    let remaining: string | null = null;
    const removed = await changeOrganization(
      dependencies,
      { ...request, maySignIn: (administrator: string) => administrator === remaining },
      removeAdministrator,
      context,
      async (organization) => {
        remaining = await anotherAdministrator(dependencies, organization, userId);
      },
    );
    if (!removed.ok) return removed;
    await revokeTokens(
      { userId, organizationIds: [organizationId], by: breakGlass, ...(reason !== undefined && { reason }) },
      context,
    );
    return removed;
  };
};

/** One who may sign in, as the accounts' streams say. */
const anotherAdministrator = async (
  dependencies: Dependencies,
  organization: Organization,
  userId: string,
): Promise<string | null> => {
  if (organization.status === 'unknown') return null;
  for (const other of organization.administrators)
    if (other !== userId && (await accountNow(dependencies.store, other)).status === 'enabled') return other;
  return null;
};
