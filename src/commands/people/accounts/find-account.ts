import { accountDecider, addressOf } from '../../../domain/people/account.ts';
import { normaliseEmail } from '../../../domain/people/email.ts';
import { addressStreams } from '../../kernel/claim-streams.ts';
import type { AccountDependencies } from '../dependencies.ts';
import { type AccountInLog, loadAccount } from './load-account.ts';

/** The account that has claimed an address and records it, if any. An unknown address costs the same reads as a known one. */
export const findAccount = async (
  dependencies: Pick<AccountDependencies, 'store' | 'now' | 'persons'>,
  email: string,
): Promise<AccountInLog> => {
  const userId = await addressStreams(dependencies).ownerOf(email);
  const found = await loadAccount(dependencies.store, userId ?? 'nobody');
  return addressOf(found.account) === normaliseEmail(email)
    ? found
    : { ...found, account: accountDecider.initial };
};

/** The user who signs in with an address; null for nobody. */
export const makeUserOfAddress =
  (dependencies: Pick<AccountDependencies, 'store' | 'now' | 'persons'>) =>
  async (email: string): Promise<string | null> => {
    const { account } = await findAccount(dependencies, email);
    return account.status === 'absent' ? null : account.userId;
  };
