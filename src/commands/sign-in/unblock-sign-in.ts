import { countedAs, unblockSignIn } from '../../domain/people/account.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { SignInDependencies } from './dependencies.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { accountKey } from './sign-in-counting.ts';
import { onAccount } from '../kernel/handle-retrying.ts';

type Dependencies = Pick<SignInDependencies, 'store' | 'keys' | 'now' | 'signInCounters'>;

/** Clears the failures counted for an account. Counters of addresses stay: they may be about other accounts. */
export const makeUnblockSignIn =
  ({ store, keys, now, signInCounters }: Dependencies) =>
  async (
    userId: string,
    context?: CommandContext,
  ): Promise<Outcome<{ readonly forgotten: number }, 'user-unknown'>> => {
    if (!isUlid(userId)) return { ok: false, refusal: 'user-unknown' };
    const { state } = await onAccount(store, userId, (account) => unblockSignIn(account, { now: now() }), {
      context,
      ...byOperator(),
    });
    if (state.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    return {
      ok: true,
      value: { forgotten: await signInCounters.forgetAccount(accountKey(keys, countedAs(state))) },
    };
  };
