import { renameAccount } from '../../../domain/people/account-changes.ts';
import { nameProblem, normaliseName } from '../../../domain/kernel/name.ts';
import { changeAccount, type AccountChanged } from './change-account.ts';
import type { CommandContext } from '../../kernel/context.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';
import type { OutcomeWithProblems } from '../../kernel/outcome.ts';

/** Changes a user's name. Where an identity provider names the user, the next sign-in changes it back. */
export const makeRenameUser =
  (dependencies: Pick<CommandDependencies, 'store' | 'now'>) =>
  async (
    { userId, ...given }: { readonly userId: string; readonly name: string },
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<AccountChanged, 'user-unknown' | 'user-erased' | 'invalid'>> => {
    const name = normaliseName(given.name);
    const message = nameProblem(name);
    if (message !== null) return { ok: false, refusal: 'invalid', problems: [{ field: 'name', message }] };
    return changeAccount(
      dependencies,
      userId,
      (account, now) => renameAccount(account, { name, now }),
      context,
    );
  };
