import type { ListedAdministratorToken } from '../../commands/people/tokens/list-administrator-tokens.ts';

import type { Instant } from '../../domain/kernel/decision.ts';
import type { Words } from '../words/en.ts';
import type { TokenRow } from './views/tokens.ts';
import type { NamedOrganization } from '../../projections/read-models.ts';

/** The tokens as pages show them; organization names come from `administered`. */
export const tokenRows = (
  tokens: readonly ListedAdministratorToken[],
  administered: readonly NamedOrganization[],
  now: Instant,
  { tokens: { notYours } }: Words,
): readonly TokenRow[] =>
  tokens.map(({ tokenId, name, organizationId, issuedAt, expiresAt, claimsCountUntil: until }) => ({
    tokenId,
    name,
    issuedAt: new Date(issuedAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    organizationName: organizationId && (nameOf(organizationId, administered) ?? notYours),
    providerRights: until === null ? null : now < until ? new Date(until).toISOString() : 'ended',
  }));

const nameOf = (organizationId: string, administered: readonly NamedOrganization[]): string | undefined =>
  administered.find((organization) => organization.organizationId === organizationId)?.name;
