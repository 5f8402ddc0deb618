import { LRUCache } from 'lru-cache';
import { growing } from '../../common/growing.ts';
import type { Audience } from '../../domain/access/audience.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { GrantSubject } from '../../domain/access/grant.ts';
import { eachRecord } from '../../domain/records/each-record.ts';
import { identityScopes, isWithin, withDetails, type Scope } from '../../domain/access/scope.ts';
import type { ByteReader, ByteWriter } from './credential-bytes.ts';
import { mintCredential, verifyCredential, type Origin } from './credentials.ts';
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

/**
 * Never renumber: issued tokens contain these codes. `openid` without any of the last three is `openid profile email`:
 * so it is in older tokens, and an older version drops codes that it does not know (docs/adr/0076).
 */
const scopeCodes = {
  openid: 1,
  ...eachRecord('scope', ({ scopeCode }): number => scopeCode),
  profile: 253,
  email: 254,
} satisfies Record<Scope, number>;
const openidAlone = 255;

const scopesByCode = new Map(
  (Object.keys(scopeCodes) as Scope[]).map((scope): [number, Scope] => [scopeCodes[scope], scope]),
);

const codesOf = (scopes: readonly Scope[]): readonly number[] => {
  const codes = scopes.map((scope) => scopeCodes[scope]);
  if (isWithin(identityScopes, scopes)) return codes.filter((code) => code < scopeCodes.profile);
  return scopes.includes('openid') && !scopes.some(isDetail) ? [...codes, openidAlone] : codes;
};

const isDetail = (scope: Scope): boolean => scope === 'profile' || scope === 'email';

/** 2 is the subject of a user from before it had epochs: it is read as epoch 0. */
const subjectCodes = { organization: 1, userOfOld: 2, user: 3 } as const;

/**
 * The first byte of claims with a version; without one it is that of a ULID, 0. Both are read; this version writes those without,
 * for instances of the previous version (ADR 45); the next one writes it.
 */
const claimsVersion = 0xf1;
const versions = 0xf0;

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

/** True for a token of ours that is refused only because it has expired (LI-10). */
export const makeAccessTokenHasExpired =
  ({ keys, now }: Pick<CommandDependencies, 'keys' | 'now'>) =>
  (token: string): boolean => {
    const claims = readAccessToken(keys, token);
    return claims !== null && now() >= claims.expiresAt;
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

const openAccessToken = (keys: TokenKeys, token: string): AccessTokenClaims | null => {
  const opened = verifyCredential(keys, 'access', token);
  if (!opened) return null;
  const { grantId, rotation, expiresAt, rest } = opened;
  const claims = readClaims(rest);
  return claims && { grantId, rotation, expiresAt, ...claims };
};

type Claims = Pick<AccessTokenClaims, 'addonId' | 'userId' | 'subject' | 'scopes' | 'audience'>;

/** The audience of claims without a version that end where the audience would begin. */
const usualAudience = { ownApi: true, among: 1 } as const satisfies Audience;

const writeClaims = (writer: ByteWriter, { addonId, userId, subject, scopes, audience }: Claims): void => {
  writer.id(addonId);
  writer.id(userId);
  writer.byte(subjectCodes[subject.kind]);
  writer.id(subject.kind === 'organization' ? subject.organizationId : subject.userId);
  writer.uint32(subject.epoch);
  const codes = codesOf(scopes);
  writer.byte(codes.length);
  for (const code of codes) writer.byte(code);
  if (audience.ownApi && audience.among === usualAudience.among) return;
  writer.byte(audience.ownApi ? 1 : 0);
  writer.uint32(audience.among);
};

/** Null for claims of a version that this code does not know. */
const readClaims = (reader: ByteReader): Claims | null => {
  if (reader.peek() >= versions && reader.byte() !== claimsVersion) return null;
  return {
    addonId: reader.id(),
    userId: reader.id(),
    subject: readSubject(reader),
    scopes: readScopes(reader),
    audience: reader.isAtEnd() ? usualAudience : { ownApi: reader.byte() === 1, among: reader.uint32() },
  };
};

const readSubject = (reader: ByteReader): GrantSubject => {
  const code = reader.byte();
  const id = reader.id();
  const epoch = code === subjectCodes.userOfOld ? 0 : reader.uint32();
  return code === subjectCodes.organization
    ? { kind: 'organization', organizationId: id, epoch }
    : { kind: 'user', userId: id, epoch };
};

/** A scope that no longer exists is dropped. */
const readScopes = (reader: ByteReader): readonly Scope[] => {
  const codes = [...reader.bytes(reader.byte())];
  const scopes = codes.map((code) => scopesByCode.get(code)).filter((scope) => scope !== undefined);
  return codes.some((code) => code >= scopeCodes.profile) ? scopes : withDetails(scopes);
};
