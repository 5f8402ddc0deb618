import type { Instant } from '../domain/decision.ts';
import { loadAccount } from './load-account.ts';
import type { CommandDependencies } from './dependencies.ts';

/** When a user's password was last set; null where there is none. */
export const makePasswordSetAt =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async (userId: string): Promise<Instant | null> => {
    const { account } = await loadAccount(store, userId);
    return account.status === 'absent' ? null : account.passwordSetAt;
  };
