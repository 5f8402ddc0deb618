import { type Role } from '../../../domain/people/account.ts';
import { grantRole, removeRole } from '../../../domain/people/account-changes.ts';
import { isUlid } from '../../../domain/kernel/ids.ts';
import { changeAccount } from './change-account.ts';
import type { CommandContext } from '../../kernel/context.ts';
import type { AccountDependencies } from '../dependencies.ts';
import { handleAccount } from './handle-account.ts';
import { type Changed, type Outcome, changedOutcome } from '../../kernel/outcome.ts';

export type RoleOfUser = { readonly userId: string; readonly role: Role };

type Dependencies = Pick<AccountDependencies, 'store' | 'now' | 'operators'>;

/** Gives a user a role of the whole service. Giving it twice changes nothing. */
export const makeGrantRole =
  (dependencies: Dependencies) =>
  async (
    { userId, role }: RoleOfUser,
    context?: CommandContext,
  ): Promise<Outcome<Changed, 'user-unknown' | 'user-erased'>> =>
    changeAccount(dependencies, userId, (account, now) => grantRole(account, { role, now }), context);

/** Takes a role that was given by hand. The last operator who may sign in keeps it, unless `force` says otherwise. */
export const makeRemoveRole =
  (dependencies: Dependencies) =>
  async (
    { userId, role, force = false }: RoleOfUser & { readonly force?: boolean },
    context?: CommandContext,
  ): Promise<Outcome<Changed, 'user-unknown' | 'role-by-claim' | 'last-operator'>> => {
    if (!isUlid(userId)) return { ok: false, refusal: 'user-unknown' };
    const handled = await handleAccount(
      dependencies,
      userId,
      (account, now) => removeRole(account, { role, now }),
      { context, force },
    );
    return changedOutcome(handled);
  };
