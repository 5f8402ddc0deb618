import type { Instant } from '../../../domain/kernel/decision.ts';
import { loadAccount } from '../accounts/load-account.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';

/** When a user's password was last set; null where there is none. */
export const makePasswordSetAt =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async (userId: string): Promise<Instant | null> => {
    const { account } = await loadAccount(store, userId);
    return account.status === 'absent' ? null : account.passwordSetAt;
  };
