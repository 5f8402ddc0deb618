import { verifyCredential, type CredentialKind } from '../../../src/commands/credentials/credentials.ts';
import type { AccessTokenClaims } from '../../../src/commands/credentials/access-token.ts';
import type { TokenPair } from '../../../src/commands/credentials/token-pair.ts';
import type { FenceRow } from '../../../src/domain/fence/fence.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { terms } from '../../support/scenes/grants.ts';
import { issuance, keys } from '../../support/memory/issuance.ts';

/** How things stand before anything is tried: every play begins with a copy of it. */
export type Prepared = {
  readonly log: readonly RecordedEvent[];
  readonly rows: readonly FenceRow[];
  readonly addonId: string;
  readonly organizationId: string;
  readonly userId: string;
  /** Of the organization, in epoch 1; the user's own, in epoch 0. */
  readonly organization: Held;
  readonly own: Held;
  /** Of the two pairs. */
  readonly claims: readonly AccessTokenClaims[];
  /** Of the four codes. */
  readonly grantIds: readonly string[];
  claimsOf(token: string): AccessTokenClaims;
  grantIdOf(kind: CredentialKind, credential: string): string;
};

/** A code that nobody has redeemed, and the pair of another one that was. */
export type Held = { readonly code: string; readonly pair: TokenPair };

/** An add-on that is active for an organization, and that a user has allowed to see the own data. */
const prepare = async (): Promise<Prepared> => {
  const over = await issuance();
  const { store, fence, commands, addonId, organizationId, userId } = over;
  const subject = { kind: 'user', userId, epoch: 0 } as const;
  await commands.approveScopes({ userId, addonId, subject, scopes: terms.scopes });
  const organization = { code: await over.issue(), pair: await over.newPair() };
  const own = { code: await over.issue({ subject }), pair: await over.newPair({ subject }) };
  const claimsOf = (token: string) => {
    const claims = commands.verifyAccessToken(token);
    if (!claims) throw new Error('the token did not open');
    return claims;
  };
  const known = new Map<string, string>();
  const grantIdOf = (kind: CredentialKind, credential: string) => {
    const grantId = known.get(credential) ?? verifyCredential(keys, kind, credential)?.grantId;
    if (grantId === undefined) throw new Error(`not a ${kind} of ours`);
    known.set(credential, grantId);
    return grantId;
  };
  return {
    log: [...store.all()],
    rows: [...fence.rows().values()],
    addonId,
    organizationId,
    userId,
    organization,
    own,
    claims: [organization, own].map(({ pair }) => claimsOf(pair.accessToken)),
    grantIds: [organization, own].flatMap(({ code, pair }) => [
      grantIdOf('code', code),
      grantIdOf('refresh', pair.refreshToken),
    ]),
    claimsOf,
    grantIdOf,
  };
};

export const prepared = await prepare();
