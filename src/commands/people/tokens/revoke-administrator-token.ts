import {
  administratorTokenDecider,
  revokeAdministratorToken,
} from '../../../domain/people/administrator-token.ts';
import { isUlid } from '../../../domain/kernel/ids.ts';
import { administratorTokensStream } from '../../../domain/streams.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { loadAdministratorTokens } from './load-administrator-tokens.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import { handleRetrying } from '../../kernel/handle-retrying.ts';

export type RevokeAdministratorToken = {
  readonly userId: string;
  readonly tokenId: string;
  /** User id, or `break-glass`. */
  readonly by: string;
  readonly reason?: string;
};

/** Ends a token of the user, for every request that begins after the answer. */
export const makeRevokeAdministratorToken =
  ({ store, now }: Pick<CommandDependencies, 'store' | 'now'>) =>
  async (
    { userId, tokenId, by, reason }: RevokeAdministratorToken,
    context?: CommandContext,
  ): Promise<Outcome<null, 'token-unknown'>> => {
    if (!isUlid(userId)) return { ok: false, refusal: 'token-unknown' };
    const { account, ended } = await loadAdministratorTokens(store, userId);
    if (account.status === 'absent') return { ok: false, refusal: 'token-unknown' };
    const command = { tokenId, now: now(), ended };
    const { refusal } = await handleRetrying(
      store,
      administratorTokensStream(userId),
      administratorTokenDecider,
      (tokens, attempt) => {
        const decision = revokeAdministratorToken(tokens, command);
        // The first attempt did succeed: the token is gone.
        return attempt === 'again' && decision.refusal === 'token-unknown' ? { events: [] } : decision;
      },
      { context, metadata: { actor: by, ...(reason !== undefined && { reason }) } },
    );
    return refusal === undefined ? { ok: true, value: null } : { ok: false, refusal };
  };
