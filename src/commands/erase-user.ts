import { accountDecider, eraseAccount } from '../domain/account.ts';
import { isUlid } from '../domain/ids.ts';
import { accountPerson } from '../domain/personal-data.ts';
import { isUnreadable } from '../domain/unreadable-fields.ts';
import { accountStream } from '../domain/streams.ts';
import type { Position } from '../eventstore/event-store.ts';
import { byOperator } from './by-operator.ts';
import type { CommandContext } from './context.ts';
import { makeDisableUser, type UserToEnd, userToEnd } from './disable-user.ts';
import { releaseEmailOf } from './email-claim.ts';
import { handle, load } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';
import type { Outcome } from './outcome.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

type Dependencies = Pick<
  CommandDependencies,
  'store' | 'fence' | 'now' | 'persons' | 'operators' | 'passkeyUses'
>;

/**
 * Disables the account, releases its address, records the erasure, and deletes the key: in this order, so that the same
 * call again completes what a crash has interrupted. The address can be read only as long as the key exists:
 * `addressKnown` is false when the key was lost before, and then the claim on the address stays. The last operator who may
 * sign in is not erased, unless `force` says otherwise.
 */
export const makeEraseUser =
  (dependencies: Dependencies) =>
  async (
    user: UserToEnd,
    context?: CommandContext,
  ): Promise<
    Outcome<
      { readonly position: Position | null; readonly repeated: boolean; readonly addressKnown: boolean },
      'user-unknown' | 'last-operator'
    >
  > => {
    const { store, persons } = dependencies;
    const { userId } = userToEnd(user);
    if (!isUlid(userId)) return { ok: false, refusal: 'user-unknown' };
    const { state: account } = await load(store, accountStream(userId), accountDecider);
    if (account.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    const hadAddress = !isUnreadable(account.email);
    if (hadAddress) {
      const disabled = await makeDisableUser(dependencies)(user, context);
      if (!disabled.ok) return disabled;
      await releaseEmailOf(dependencies, account.email, userId, { context, ...byOperator() });
    }
    const forgotten = await forget(dependencies, user, context);
    if (!forgotten.ok) return forgotten;
    const { position } = forgotten.value;
    await dependencies.passkeyUses?.forget({ userId });
    await persons.destroy(accountPerson(userId));
    const repeated = account.status === 'erased';
    return { ok: true, value: { position, repeated, addressKnown: hadAddress || repeated } };
  };

/** Disabling has closed the fence. If somebody enables the account in between, it is disabled again. */
const forget = async (
  dependencies: Dependencies,
  user: UserToEnd,
  context: CommandContext | undefined,
): Promise<Outcome<{ readonly position: Position | null }, 'user-unknown' | 'last-operator'>> => {
  for (;;) {
    const { position, refusal } = await retryUnknownOutcome(() =>
      handle(
        dependencies.store,
        accountStream(userToEnd(user).userId),
        accountDecider,
        (account) => eraseAccount(account, { now: dependencies.now() }),
        { context, ...byOperator() },
      ),
    );
    if (!refusal) return { ok: true, value: { position } };
    const disabled = await makeDisableUser(dependencies)(user, context);
    if (!disabled.ok) return disabled;
  }
};
