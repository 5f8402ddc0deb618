import type { CommandContext } from '../../kernel/context.ts';
import { makeIsAdministrator } from '../../organizations/is-administrator.ts';
import { loadAdministratorTokens } from './load-administrator-tokens.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';
import { makeRevokeAdministratorToken } from './revoke-administrator-token.ts';

export type FormerAdministrator = {
  readonly userId: string;
  /** Those that the user administers after all are left alone. */
  readonly organizationIds: readonly string[];
  /** User id, or `break-glass`. */
  readonly by: string;
  readonly reason?: string;
};

/** Permanently ends the user's tokens for these organizations; who becomes administrator again makes new ones. Repeatable. */
export const makeRevokeTokensOfFormerAdministrator = (
  dependencies: Pick<CommandDependencies, 'store' | 'now'>,
) => {
  const revoke = makeRevokeAdministratorToken(dependencies);
  const isAdministrator = makeIsAdministrator(dependencies);
  return async (
    { userId, organizationIds, by, reason }: FormerAdministrator,
    context: CommandContext | undefined,
  ): Promise<void> => {
    if (organizationIds.length === 0) return;
    const { tokens } = await loadAdministratorTokens(dependencies.store, userId);
    for (const { tokenId, organizationId } of tokens.tokens) {
      if (organizationId === null || !organizationIds.includes(organizationId)) continue;
      if (await isAdministrator(organizationId, userId)) continue;
      await revoke({ userId, tokenId, by, ...(reason !== undefined && { reason }) }, context);
    }
  };
};
