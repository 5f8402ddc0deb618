import {
  type Account,
  accountDecider,
  type AccountEvent,
  disableAccount,
  enableAccount,
} from '../domain/account.ts';
import type { Decision, Instant } from '../domain/decision.ts';
import { accountSubject } from '../domain/fence.ts';
import { isUlid } from '../domain/ids.ts';
import { accountStream } from '../domain/streams.ts';
import type { Position } from '../eventstore/event-store.ts';
import { byOperator } from './by-operator.ts';
import { completeFence } from './complete-fence.ts';
import type { CommandContext } from './context.ts';
import { handle } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';
import type { Outcome } from './outcome.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'fence' | 'now'>;

/**
 * Ends every session of the user and every code and grant of the user's own data, for good, before it returns (RT-17);
 * an organization's grants stay (AC-03). Sign-ins are refused until the account is enabled. Disabling twice changes
 * nothing.
 */
export const makeDisableUser = (dependencies: Dependencies) => decideAndFence(dependencies, disableAccount);

/** Lets a user sign in again. What was granted before stays revoked: the account's epoch is a later one. */
export const makeEnableUser = (dependencies: Dependencies) => decideAndFence(dependencies, enableAccount);

type Decide<R extends string> = (
  account: Account,
  command: { readonly now: Instant },
) => Decision<AccountEvent, R>;

/**
 * Checks the fence even when nothing changes: an earlier call may have crashed between its append and its write to the
 * fence.
 */
const decideAndFence =
  <R extends string>({ store, fence, now }: Dependencies, decide: Decide<R>) =>
  async (
    userId: string,
    context?: CommandContext,
  ): Promise<Outcome<{ readonly position: Position | null }, R | 'user-unknown'>> => {
    if (!isUlid(userId)) return { ok: false, refusal: 'user-unknown' };
    const handled = await retryUnknownOutcome(() =>
      handle(store, accountStream(userId), accountDecider, (account) => decide(account, { now: now() }), {
        context,
        ...byOperator(),
      }),
    );
    if (handled.state.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    if (handled.refusal) return { ok: false, refusal: handled.refusal };
    await completeFence(fence, accountSubject(userId), handled);
    return { ok: true, value: { position: handled.position } };
  };
