import { livingTokens, type AdministratorToken } from '../domain/administrator-token.ts';
import type { Instant } from '../domain/decision.ts';
import { isUlid } from '../domain/ids.ts';
import { loadAdministratorTokens } from './load-administrator-tokens.ts';
import type { CommandDependencies } from './dependencies.ts';

export type AdministratorTokenItem = {
  readonly tokenId: string;
  readonly organizationId: string | null;
  readonly name: string;
  readonly issuedAt: Instant;
  readonly expiresAt: Instant;
};

/**
 * The user's valid tokens, oldest first and without their text, from the log: a token that was just made or revoked is
 * listed correctly.
 */
export const makeListAdministratorTokens =
  ({ store, now }: Pick<CommandDependencies, 'store' | 'now'>) =>
  async (userId: string): Promise<readonly AdministratorTokenItem[]> => {
    if (!isUlid(userId)) return [];
    const { account, tokens, ended } = await loadAdministratorTokens(store, userId);
    if (account.status !== 'enabled') return [];
    return livingTokens(tokens, { now: now(), ended }).map(asItem);
  };

const asItem = (token: AdministratorToken): AdministratorTokenItem => {
  const { keyId: _, salt: __, ...item } = token;
  return item;
};
