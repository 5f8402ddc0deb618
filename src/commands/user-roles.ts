import { type Role } from '../domain/account.ts';
import { grantRole, removeRole } from '../domain/account-changes.ts';
import { changeAccount, type AccountChanged } from './change-account.ts';
import type { CommandContext } from './context.ts';
import { loadAccount } from './load-account.ts';
import type { CommandDependencies } from './dependencies.ts';
import type { Outcome } from './outcome.ts';

export type RoleOfUser = { readonly userId: string; readonly role: Role };

type Dependencies = Pick<CommandDependencies, 'store' | 'now' | 'operators'>;

/** Gives a user a role of the whole service. Giving it twice changes nothing. */
export const makeGrantRole =
  (dependencies: Dependencies) =>
  async (
    { userId, role }: RoleOfUser,
    context?: CommandContext,
  ): Promise<Outcome<AccountChanged, 'user-unknown' | 'user-erased'>> =>
    changeAccount(dependencies, userId, (account, now) => grantRole(account, { role, now }), context);

/**
 * Takes a role that was given by hand, for every request that begins after the answer: roles are read from the log. The
 * last operator who may sign in keeps the role, unless `force` says otherwise. The read model finds the other operators,
 * and the log says whether they are. After the removal it is asked again: of two operators who are removed at the same
 * time, the one whose removal is later in the log finds nobody else, and gets the role back.
 */
export const makeRemoveRole =
  (dependencies: Dependencies) =>
  async (
    { userId, role, force = false }: RoleOfUser & { readonly force?: boolean },
    context?: CommandContext,
  ): Promise<Outcome<AccountChanged, 'user-unknown' | 'role-by-claim' | 'last-operator'>> => {
    const { account } = await loadAccount(dependencies.store, userId);
    const isAtRisk =
      role === 'operator' &&
      !force &&
      account.status === 'enabled' &&
      account.rolesBySource.manual.includes('operator') &&
      !account.rolesBySource.claim.includes('operator');
    if (isAtRisk && !(await hasOtherOperator(dependencies, userId)))
      return { ok: false, refusal: 'last-operator' };
    const removed = await changeAccount(
      dependencies,
      userId,
      (present, now) => removeRole(present, { role, now }),
      context,
    );
    if (!removed.ok || !isAtRisk || !removed.value.changed) return removed;
    if (await hasOtherOperator(dependencies, userId)) return removed;
    await changeAccount(dependencies, userId, (present, now) => grantRole(present, { role, now }), context);
    return { ok: false, refusal: 'last-operator' };
  };

const hasOtherOperator = async ({ store, operators }: Dependencies, userId: string): Promise<boolean> => {
  for (const other of (await operators?.()) ?? []) {
    if (other === userId) continue;
    const { account } = await loadAccount(store, other);
    if (account.status === 'enabled' && account.roles.includes('operator')) return true;
  }
  return false;
};
