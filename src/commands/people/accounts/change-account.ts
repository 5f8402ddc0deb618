import { type Account, type AccountEvent } from '../../../domain/people/account.ts';
import type { Decision, Instant } from '../../../domain/kernel/decision.ts';
import { isUlid } from '../../../domain/kernel/ids.ts';
import { byOperator } from '../../kernel/by-operator.ts';
import type { CommandContext } from '../../kernel/context.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';
import { type Changed, type Outcome, changedOutcome } from '../../kernel/outcome.ts';
import { onAccount } from '../../kernel/handle-retrying.ts';

/** Decides on an account's stream, for an operator. */
export const changeAccount = async <R extends string>(
  { store, now }: Pick<CommandDependencies, 'store' | 'now'>,
  userId: string,
  decide: (account: Account, now: Instant) => Decision<AccountEvent, R>,
  context: CommandContext | undefined,
): Promise<Outcome<Changed, R | 'user-unknown'>> => {
  if (!isUlid(userId)) return { ok: false, refusal: 'user-unknown' };
  const handled = await onAccount(store, userId, (account) => decide(account, now()), {
    context,
    ...byOperator(),
  });
  return changedOutcome(handled);
};
