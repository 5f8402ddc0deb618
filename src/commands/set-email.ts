import { type Account } from '../domain/account.ts';
import { changeEmail } from '../domain/account-changes.ts';
import { emailProblem, normaliseEmail } from '../domain/email.ts';
import { isUlid } from '../domain/ids.ts';
import { isUnreadable } from '../domain/unreadable-fields.ts';
import { byOperator } from './by-operator.ts';
import { changeAccount, type AccountChanged } from './change-account.ts';
import type { CommandContext } from './context.ts';
import { claimEmailFor, releaseEmailOf } from './email-claim.ts';
import { loadAccount } from './load-account.ts';
import type { CommandDependencies } from './dependencies.ts';
import type { OutcomeWithProblems } from './outcome.ts';

export type SetEmailRefusal = 'user-unknown' | 'user-erased' | 'email-taken' | 'invalid';

/**
 * Changes the address that the user signs in with: the new one is claimed, the old one released, then the account says
 * it. After a crash in between, the same call continues. The old address is free from the answer on.
 */
export const makeSetEmail =
  (dependencies: Pick<CommandDependencies, 'store' | 'now' | 'persons'>) =>
  async (
    { userId, ...given }: { readonly userId: string; readonly email: string },
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<AccountChanged, SetEmailRefusal>> => {
    const email = normaliseEmail(given.email);
    const message = emailProblem(email);
    if (message !== null) return { ok: false, refusal: 'invalid', problems: [{ field: 'email', message }] };
    if (!isUlid(userId)) return { ok: false, refusal: 'user-unknown' };
    const { account } = await loadAccount(dependencies.store, userId);
    if (account.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    if (account.status === 'erased') return { ok: false, refusal: 'user-erased' };
    const change = { context, ...byOperator() };
    const release = async (present: Account) => {
      const old = present.status === 'absent' ? '' : present.email;
      if (old !== '' && old !== email && !isUnreadable(old))
        await releaseEmailOf(dependencies, old, userId, change);
    };
    if ((await claimEmailFor(dependencies, email, userId, change)) !== userId)
      return {
        ok: false,
        refusal: 'email-taken',
        problems: [{ field: 'email', message: 'belongs to another account' }],
      };
    await release(account);
    const changed = await changeAccount(
      dependencies,
      userId,
      (present, now) => changeEmail(present, { email, now }),
      context,
    );
    if (changed.ok)
      await release(changed.value.before); // another address, if it was changed in between
    else await releaseEmailOf(dependencies, email, userId, change); // erased in between
    return changed;
  };
