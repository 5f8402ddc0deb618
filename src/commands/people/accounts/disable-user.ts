import {
  type Account,
  type AccountEvent,
  disableAccount,
  enableAccount,
} from '../../../domain/people/account.ts';
import type { Decision, Instant } from '../../../domain/kernel/decision.ts';
import { accountSubject } from '../../../domain/fence/fence.ts';
import { isUlid } from '../../../domain/kernel/ids.ts';
import type { Position } from '../../../eventstore/event-store.ts';
import { completeFence } from '../../kernel/complete-fence.ts';
import type { CommandContext } from '../../kernel/context.ts';
import type { AccountDependencies } from '../dependencies.ts';
import { handleAccount } from './handle-account.ts';
import type { Outcome } from '../../kernel/outcome.ts';

type Dependencies = Pick<AccountDependencies, 'store' | 'fence' | 'now' | 'operators'>;

/**
 * Ends every session, code and own grant of a user permanently (RT-17); an organization's grants stay (AC-03).
 * Sign-ins are refused until enabled. The last operator who may sign in is not disabled, unless `force`.
 */
export const makeDisableUser = (dependencies: Dependencies) => {
  const decide = decideAndFence(dependencies, disableAccount);
  return (user: UserToEnd, context?: CommandContext) => decide(userToEnd(user), context);
};

/** The user id alone, or with `force`: then also the last operator. */
export type UserToEnd = string | { readonly userId: string; readonly force: boolean };

export const userToEnd = (user: UserToEnd): { readonly userId: string; readonly force: boolean } =>
  typeof user === 'string' ? { userId: user, force: false } : user;

type Changed = { readonly position: Position | null };

/** Lets a user sign in again. What was granted before stays revoked: the account's epoch is a later one. */
export const makeEnableUser = (dependencies: Dependencies) => {
  const decide = decideAndFence(dependencies, enableAccount);
  // Nobody stops being an operator: nothing is to be forced.
  return (userId: string, context?: CommandContext) => decide({ userId, force: true }, context);
};

type Decide<R extends string> = (
  account: Account,
  command: { readonly now: Instant },
) => Decision<AccountEvent, R>;

/** Checks the fence even when nothing changes: an earlier call may have crashed before its write to the fence. */
const decideAndFence =
  <R extends string>(dependencies: Dependencies, decide: Decide<R>) =>
  async (
    { userId, force }: Exclude<UserToEnd, string>,
    context: CommandContext | undefined,
  ): Promise<Outcome<Changed, R | 'user-unknown' | 'last-operator'>> => {
    if (!isUlid(userId)) return { ok: false, refusal: 'user-unknown' };
    const handled = await handleAccount(dependencies, userId, (account, now) => decide(account, { now }), {
      context,
      force,
    });
    if (handled.state.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    if (handled.refusal) return { ok: false, refusal: handled.refusal };
    await completeFence(dependencies.fence, accountSubject(userId), handled);
    return { ok: true, value: { position: handled.position } };
  };
