import { claimsCountUntil } from '../../../domain/people/account.ts';
import { livingTokens } from '../../../domain/people/administrator-token.ts';
import { LogBehind } from '../../../eventstore/event-store.ts';
import {
  isAdministratorTokenOf,
  verifyAdministratorToken,
} from '../../credentials/administrator-token-text.ts';
import { loadAdministratorTokens } from './load-administrator-tokens.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';
import type { Outcome } from '../../kernel/outcome.ts';

export type AdministratorTokenHolder = {
  readonly userId: string;
  readonly tokenId: string;
  /** The only organization that it is for; null: all that the user administers. */
  readonly organizationId: string | null;
  /** Whether the rights that a provider's claim gave the user count now: the provider has confirmed them lately. */
  readonly byClaim: boolean;
};

/** `unknown` means not a token of ours. The other reasons are disclosed only to the holder of the token. */
export type AdministratorTokenRefusal = 'token-unknown' | 'token-expired' | 'token-revoked';

/** The user of a valid token; `isAdministrator` as for a session. Read from the log; a forged or expired one costs no I/O. */
export const makeReadAdministratorToken =
  ({ store, keys, now, lifetimes }: Pick<CommandDependencies, 'store' | 'keys' | 'now' | 'lifetimes'>) =>
  async (text: string): Promise<Outcome<AdministratorTokenHolder, AdministratorTokenRefusal>> => {
    const opened = verifyAdministratorToken(keys, text);
    if (!opened) return { ok: false, refusal: 'token-unknown' };
    const time = now();
    if (time >= opened.expiresAt) return { ok: false, refusal: 'token-expired' };
    const { userId, tokenId } = opened;
    const { account, tokens, ended, wasIssued } = await loadAdministratorTokens(store, userId);
    if (account.status === 'absent' || !wasIssued(tokenId))
      throw new LogBehind(`the log lacks the token ${tokenId} or its account`);
    if (account.status !== 'enabled') return { ok: false, refusal: 'token-revoked' };
    const living = livingTokens(tokens, { now: time, ended });
    const token = living.find((candidate) => candidate.tokenId === tokenId);
    if (!token || !isAdministratorTokenOf(keys, opened, token))
      return { ok: false, refusal: 'token-revoked' };
    const until = claimsCountUntil(account, lifetimes.providerRights);
    const byClaim = until === null || time < until;
    return { ok: true, value: { userId, tokenId, organizationId: token.organizationId, byClaim } };
  };
