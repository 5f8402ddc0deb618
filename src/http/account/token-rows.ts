import type { ListedAdministratorToken } from '../../commands/people/tokens/list-administrator-tokens.ts';
import { isUserId } from '../../domain/kernel/actor.ts';
import type { NamedOrganization } from '../../projections/read-models.ts';
import type { Visitor } from '../base/browser.ts';
import type { AccountDependencies } from './dependencies.ts';
import type { TokenRow } from './views/tokens.ts';

/** The tokens as pages show them, and whether their user administers any organization. */
export const readTokenRows = async (
  { browser, commands, readModels }: AccountDependencies,
  { userId, reader }: Visitor,
): Promise<{ readonly rows: readonly TokenRow[]; readonly administers: boolean }> => {
  const [tokens, administered] = await Promise.all([
    commands.listAdministratorTokens(userId),
    readModels.organizationsAdministeredBy(userId),
  ]);
  const { notYours, onServers } = reader.words.tokens;
  const others = tokens.flatMap(({ madeBy }) => (madeBy.actor !== userId ? [madeBy.actor] : []));
  const names = others.length === 0 ? new Map<string, string>() : await readModels.namesOf(others);
  const makerOf = ({ madeBy }: ListedAdministratorToken): string | null => {
    if (madeBy.actor === userId) return null;
    return isUserId(madeBy.actor) ? (names.get(madeBy.actor) ?? madeBy.actor) : onServers;
  };
  const rows = tokens.map((token): TokenRow => {
    const { tokenId, name, organizationId, issuedAt, expiresAt, claimsCountUntil: until } = token;
    return {
      tokenId,
      name,
      issuedAt: new Date(issuedAt).toISOString(),
      expiresAt: new Date(expiresAt).toISOString(),
      organizationName: organizationId && (nameOf(organizationId, administered) ?? notYours),
      providerRights: until === null ? null : browser.now() < until ? new Date(until).toISOString() : 'ended',
      maker: makerOf(token),
      isMadeWithToken: token.madeBy.tokenId !== null,
    };
  });
  return { rows, administers: administered.length > 0 };
};

const nameOf = (organizationId: string, administered: readonly NamedOrganization[]): string | undefined =>
  administered.find((organization) => organization.organizationId === organizationId)?.name;
