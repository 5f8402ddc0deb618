import { eraseAccount } from '../../../domain/people/account.ts';
import { isUlid } from '../../../domain/kernel/ids.ts';
import { accountPerson } from '../../../domain/personal-data.ts';
import { isUnreadable } from '../../../domain/kernel/unreadable-fields.ts';
import type { Position } from '../../../eventstore/event-store.ts';
import { makeAccountClaims } from './account-claims.ts';
import { byOperator } from '../../kernel/by-operator.ts';
import { changeAccount } from './change-account.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { makeDisableUser, type UserToEnd, userToEnd } from './disable-user.ts';
import type { AccountDependencies, CredentialDependencies } from '../dependencies.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import { accountNow } from '../../../eventstore/state-of.ts';

type Dependencies = Pick<
  AccountDependencies & CredentialDependencies,
  'store' | 'fence' | 'now' | 'persons' | 'operators' | 'passkeyUses'
>;

/**
 * Disables, records the erasure, releases addresses, deletes the key, in this order: a repeat completes it. Without the key addresses
 * cannot be read (`addressKnown`): their claims stay and find nobody. Not the last operator, unless `force`.
 */
export const makeEraseUser = (dependencies: Dependencies) => {
  const { store, persons } = dependencies;
  const claims = makeAccountClaims(dependencies);
  const disable = makeDisableUser(dependencies);
  return async (
    user: UserToEnd,
    context?: CommandContext,
  ): Promise<
    Outcome<
      { readonly position: Position | null; readonly repeated: boolean; readonly addressKnown: boolean },
      'user-unknown' | 'last-operator'
    >
  > => {
    const { userId } = userToEnd(user);
    const account = await accountNow(store, userId);
    if (!isUlid(userId) || account.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    const repeated = account.status === 'erased';
    const addressKnown = repeated || !isUnreadable(account.email);
    // Disabling closes the fence. If somebody enables the account in between, it is disabled again.
    for (;;) {
      const disabled = await disable(user, context);
      if (!disabled.ok) return disabled;
      const erased = await changeAccount(
        dependencies,
        userId,
        (present, now) => eraseAccount(present, { now }),
        context,
      );
      if (!erased.ok) {
        if (erased.refusal === 'user-enabled') continue;
        return { ok: false, refusal: erased.refusal };
      }
      await claims.settle(userId, { context, ...byOperator() });
      await dependencies.passkeyUses?.forget({ userId });
      await persons.destroy(accountPerson(userId));
      return { ok: true, value: { position: erased.value.position, repeated, addressKnown } };
    }
  };
};
