import { choosePreferences } from '../../../domain/people/account-changes.ts';
import type { CommandContext } from '../../kernel/context.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import { onAccount } from '../../kernel/handle-retrying.ts';

type Preferences = { readonly userId: string; readonly language: string; readonly timeZone: string };

/** A user chooses the language and the time zone of the pages. The caller has checked both; empty: as the browser says, and UTC. */
export const makeChoosePreferences =
  ({ store, now }: Pick<CommandDependencies, 'store' | 'now'>) =>
  async (
    { userId, language, timeZone }: Preferences,
    context?: CommandContext,
  ): Promise<Outcome<null, 'user-disabled'>> => {
    const { refusal } = await onAccount(
      store,
      userId,
      (account) => choosePreferences(account, { language, timeZone, now: now() }),
      { context, metadata: { actor: userId } },
    );
    return refusal ? { ok: false, refusal } : { ok: true, value: null };
  };
