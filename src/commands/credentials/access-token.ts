import { LRUCache } from 'lru-cache';
import { growing } from '../../common/growing.ts';
import type { Audience } from '../../domain/access/audience.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { GrantSubject } from '../../domain/access/grant.ts';
import { eachRecord } from '../../domain/records/each-record.ts';
import type { Scope } from '../../domain/access/scope.ts';
import type { ByteReader, ByteWriter } from './credential-bytes.ts';
import { claimsLayouts, mintCredential, verifyCredential, type Origin } from './credentials.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { TokenKeys } from './token-keys.ts';

/** The content of an access token whose MAC is right and that has not expired. */
export type AccessTokenClaims = {
  readonly grantId: string;
  readonly rotation: number;
  readonly addonId: string;
  readonly userId: string;
  readonly subject: GrantSubject;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Instant;
  /** Whether it is for our own API, and for which of the grant's resources (RFC 8707). */
  readonly audience: Audience;
};

/** Never renumber: issued tokens contain these codes. */
const scopeCodes = {
  openid: 1,
  ...eachRecord('scope', ({ scopeCode }): number => scopeCode),
  profile: 253,
  email: 254,
} satisfies Record<Scope, number>;

const scopesByCode = new Map(
  (Object.keys(scopeCodes) as Scope[]).map((scope): [number, Scope] => [scopeCodes[scope], scope]),
);

const subjectCodes = { organization: 1, user: 2 } as const;

/** An access token contains all that the bearer check needs, so the check reads only the fence. */
export const mintAccessToken = (keys: TokenKeys, origin: Origin, claims: AccessTokenClaims): string =>
  mintCredential(keys, 'access', origin, claims, (writer) => writeClaims(writer, claims));

/** Checks MAC and expiry only, no I/O; null otherwise. The fence is judged in the snapshot of the guarded read. */
export const makeVerifyAccessToken =
  ({ keys, now }: Pick<CommandDependencies, 'keys' | 'now'>) =>
  (token: string): AccessTokenClaims | null => {
    const claims = readAccessToken(keys, token);
    return claims && now() < claims.expiresAt ? claims : null;
  };

/** Whose token of ours it is that is refused only because it has expired (LI-10); null for any other text. */
export const makeOwnerOfExpired =
  ({ keys, now }: Pick<CommandDependencies, 'keys' | 'now'>) =>
  (token: string): string | null => {
    const claims = readAccessToken(keys, token);
    return claims !== null && now() >= claims.expiresAt ? claims.addonId : null;
  };

/** A token is presented again and again; what it says never changes. Only those of ours are remembered. */
const mostRemembered = 10_000;
const verified = new WeakMap<TokenKeys, LRUCache<string, AccessTokenClaims>>();

const verifiedUnder = (keys: TokenKeys): LRUCache<string, AccessTokenClaims> => {
  let known = verified.get(keys);
  if (!known) verified.set(keys, (known = new LRUCache(growing(mostRemembered))));
  return known;
};

const readAccessToken = (keys: TokenKeys, token: string): AccessTokenClaims | null => {
  const known = verifiedUnder(keys);
  const remembered = known.get(token);
  if (remembered) return remembered;
  const claims = openAccessToken(keys, token);
  if (claims) known.set(token, claims);
  return claims;
};

export const openAccessToken = (
  keys: TokenKeys,
  token: string,
  readers: ClaimsReaders = claimsReaders,
): AccessTokenClaims | null => {
  const opened = verifyCredential(keys, 'access', token);
  if (!opened) return null;
  const { grantId, rotation, expiresAt, rest } = opened;
  const claims = readers[rest.byte()]?.(rest);
  return claims ? { grantId, rotation, expiresAt, ...claims } : null;
};

type Claims = Pick<AccessTokenClaims, 'addonId' | 'userId' | 'subject' | 'scopes' | 'audience'>;

const writeClaims = (writer: ByteWriter, { addonId, userId, subject, scopes, audience }: Claims): void => {
  writer.byte(claimsLayouts.ofGrant);
  writer.id(addonId);
  writer.id(userId);
  writer.byte(subjectCodes[subject.kind]);
  writer.id(subject.kind === 'organization' ? subject.organizationId : subject.userId);
  writer.uint32(subject.epoch);
  writer.byte(scopes.length);
  for (const scope of scopes) writer.byte(scopeCodes[scope]);
  writer.byte(audience.ownApi ? 1 : 0);
  writer.uint32(audience.among);
};

type ClaimsReaders = Readonly<Record<number, (reader: ByteReader) => Claims>>;

/** By layout, of which one is written: a version that has another reads both. An add-on's own claims have a layout, too. */
export const claimsReaders: ClaimsReaders = {
  [claimsLayouts.ofGrant]: (reader) => ({
    addonId: reader.id(),
    userId: reader.id(),
    subject: readSubject(reader),
    scopes: readScopes(reader),
    audience: { ownApi: reader.byte() === 1, among: reader.uint32() },
  }),
};

const readSubject = (reader: ByteReader): GrantSubject => {
  const code = reader.byte();
  const id = reader.id();
  const epoch = reader.uint32();
  return code === subjectCodes.organization
    ? { kind: 'organization', organizationId: id, epoch }
    : { kind: 'user', userId: id, epoch };
};

/** An unknown scope is dropped: a newer version may have issued the token. */
const readScopes = (reader: ByteReader): readonly Scope[] =>
  [...reader.bytes(reader.byte())]
    .map((code) => scopesByCode.get(code))
    .filter((scope) => scope !== undefined);
