import { addressOf } from '../../../domain/people/account.ts';
import { changeEmail } from '../../../domain/people/account-changes.ts';
import { emailProblem, normaliseEmail } from '../../../domain/people/email.ts';
import { isUlid } from '../../../domain/kernel/ids.ts';
import { makeAccountClaims } from './account-claims.ts';
import { byOperator } from '../../kernel/by-operator.ts';
import { changeAccount, type AccountChanged } from './change-account.ts';
import type { CommandContext } from '../../kernel/context.ts';
import type { AccountDependencies } from '../dependencies.ts';
import type { OutcomeWithProblems } from '../../kernel/outcome.ts';
import { accountNow } from '../../../eventstore/state-of.ts';

export type SetEmailRefusal = 'user-unknown' | 'user-erased' | 'email-taken' | 'invalid';

/** Changes the user's address, for which the operator vouches. The old one is free once it has returned; a link mailed to it has ended. */
export const makeSetEmail = (dependencies: Pick<AccountDependencies, 'store' | 'now' | 'persons'>) => {
  const claims = makeAccountClaims(dependencies);
  return async (
    { userId, ...given }: { readonly userId: string; readonly email: string },
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<AccountChanged, SetEmailRefusal>> => {
    const email = normaliseEmail(given.email);
    const message = emailProblem(email);
    if (message !== null) return { ok: false, refusal: 'invalid', problems: [{ field: 'email', message }] };
    const { status } = await accountNow(dependencies.store, userId);
    if (!isUlid(userId) || status === 'absent') return { ok: false, refusal: 'user-unknown' };
    const change = { context, ...byOperator() };
    if (status !== 'erased' && (await claims.take('address', email, userId, change)) !== userId) return taken;
    const changed = await changeAccount(
      dependencies,
      userId,
      (present, now) => changeEmail(present, { email, now }),
      context,
    );
    const account = await claims.settle(userId, change, { address: [email] });
    const isLost = account.status !== 'absent' && account.email === email && addressOf(account) === null;
    return changed.ok && isLost ? taken : changed;
  };
};

const taken = {
  ok: false,
  refusal: 'email-taken',
  problems: [{ field: 'email', message: 'belongs to another account' }],
} as const;
