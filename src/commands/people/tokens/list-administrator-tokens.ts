import { claimsCountUntil } from '../../../domain/people/account.ts';
import { livingTokens, type AdministratorToken } from '../../../domain/people/administrator-token.ts';
import type { Instant } from '../../../domain/kernel/decision.ts';
import { isUlid } from '../../../domain/kernel/ids.ts';
import type { Acting } from '../../kernel/context.ts';
import { loadAdministratorTokens } from './load-administrator-tokens.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';

export type AdministratorTokenItem = {
  readonly tokenId: string;
  readonly organizationId: string | null;
  readonly name: string;
  readonly issuedAt: Instant;
  readonly expiresAt: Instant;
  readonly madeBy: Acting;
};

/** With until when it has the rights that a provider's claim gave the user: null where there are none. */
export type ListedAdministratorToken = AdministratorTokenItem & { readonly claimsCountUntil: Instant | null };

/** The user's valid tokens, oldest first and without their text, from the log: always current. */
export const makeListAdministratorTokens =
  ({ store, now, lifetimes }: Pick<CommandDependencies, 'store' | 'now' | 'lifetimes'>) =>
  async (userId: string): Promise<readonly ListedAdministratorToken[]> => {
    if (!isUlid(userId)) return [];
    const { account, tokens, ended } = await loadAdministratorTokens(store, userId);
    if (account.status !== 'enabled') return [];
    const until = claimsCountUntil(account, lifetimes.providerRights);
    return livingTokens(tokens, { now: now(), ended }).map((token) => ({
      ...asItem(token),
      claimsCountUntil: until,
    }));
  };

const asItem = (token: AdministratorToken): AdministratorTokenItem => {
  const { keyId: _, salt: __, ...item } = token;
  return item;
};
