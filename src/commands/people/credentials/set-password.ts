import { setPassword } from '../../../domain/people/account.ts';
import { isUlid } from '../../../domain/kernel/ids.ts';
import type { Position } from '../../../eventstore/event-store.ts';
import { byOperator } from '../../kernel/by-operator.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { loadAccount } from '../accounts/load-account.ts';
import type { CredentialDependencies } from '../dependencies.ts';
import type { OutcomeWithProblems } from '../../kernel/outcome.ts';
import { passwordProblem } from './password-policy.ts';
import type { Instant } from '../../../domain/kernel/decision.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';
import { onAccount } from '../../kernel/handle-retrying.ts';

export type SetPassword = {
  readonly userId: string;
  readonly password: string;
  readonly reason?: string;
};

/** Sets a password. The event itself ends the user's sessions and administrator tokens on every instance (load-account.ts). */
export const makeSetPassword =
  ({ store, now, passwords }: Pick<CredentialDependencies, 'store' | 'now' | 'passwords'>) =>
  async (
    { userId, password, reason }: SetPassword,
    context?: CommandContext,
  ): Promise<
    OutcomeWithProblems<{ readonly position: Position | null }, 'user-unknown' | 'user-erased' | 'invalid'>
  > => {
    const message = await passwordProblem(password);
    if (message !== null)
      return { ok: false, refusal: 'invalid', problems: [{ field: 'password', message }] };
    if (!isUlid(userId)) return { ok: false, refusal: 'user-unknown' };
    const { account } = await loadAccount(store, userId);
    if (account.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    const passwordHash = await passwords.hash(password);
    const { refusal, position } = await onAccount(
      store,
      userId,
      (present) => setPassword(present, { passwordHash, now: now() }),
      { context, ...byOperator(reason) },
    );
    return refusal ? { ok: false, refusal } : { ok: true, value: { position } };
  };

/** When a user's password was last set; null where there is none. */
export const makePasswordSetAt =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async (userId: string): Promise<Instant | null> => {
    const { account } = await loadAccount(store, userId);
    return account.status === 'absent' ? null : account.passwordSetAt;
  };
