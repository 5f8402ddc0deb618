import { accountDecider, unblockSignIn } from '../domain/account.ts';
import { isUlid } from '../domain/ids.ts';
import { accountStream } from '../domain/streams.ts';
import type { Commands } from './commands.ts';
import { handle } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';
import { accountKey } from './sign-in-counting.ts';

type Needs = Pick<CommandDependencies, 'store' | 'keys' | 'now' | 'signInCounters'>;

/** Forgets the failures counted for an account. Those of addresses stay: they may be about other accounts. */
export const makeUnblockSignIn =
  ({ store, keys, now, signInCounters }: Needs): Commands['unblockSignIn'] =>
  async (userId) => {
    if (!isUlid(userId)) return { ok: false, refusal: 'user-unknown' };
    const { state } = await retryUnknownOutcome(() =>
      handle(
        store,
        accountStream(userId),
        accountDecider,
        (account) => unblockSignIn(account, { now: now() }),
        {
          metadata: { actor: 'operator' },
        },
      ),
    );
    if (state.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    return {
      ok: true,
      value: { forgotten: await signInCounters.forgetAccount(accountKey(keys, state.email)) },
    };
  };
