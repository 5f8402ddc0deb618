import { type Account, type AccountEvent } from '../../../domain/people/account.ts';
import type { Decision, Instant } from '../../../domain/kernel/decision.ts';
import { isUlid } from '../../../domain/kernel/ids.ts';
import type { Position } from '../../../eventstore/event-store.ts';
import { byOperator } from '../../kernel/by-operator.ts';
import type { CommandContext } from '../../kernel/context.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import { onAccount } from '../../kernel/handle-retrying.ts';

/** `changed` is false where nothing had to change; `position` is what to wait for until the read models show it. */
export type AccountChanged = { readonly changed: boolean; readonly position: Position | null };

/** Decides on an account's stream, for an operator. */
export const changeAccount = async <R extends string>(
  { store, now }: Pick<CommandDependencies, 'store' | 'now'>,
  userId: string,
  decide: (account: Account, now: Instant) => Decision<AccountEvent, R>,
  context: CommandContext | undefined,
): Promise<Outcome<AccountChanged, R | 'user-unknown'>> => {
  if (!isUlid(userId)) return { ok: false, refusal: 'user-unknown' };
  const { events, refusal, position } = await onAccount(store, userId, (account) => decide(account, now()), {
    context,
    ...byOperator(),
  });
  return refusal ? { ok: false, refusal } : { ok: true, value: { changed: events.length > 0, position } };
};
