import type { Instant } from '../../domain/kernel/decision.ts';
import type { SignalScope } from '../../domain/access/addon-token.ts';
import { signalScopes } from '../../domain/access/events.ts';
import type { ByteReader } from './credential-bytes.ts';
import { claimsLayouts, mintCredential, verifyCredential } from './credentials.ts';
import { newSalt } from './secrets.ts';
import type { TokenKeys } from './token-keys.ts';

/** The content of an access token that an add-on took for itself. */
export type AddonTokenClaims = {
  readonly tokenId: string;
  readonly addonId: string;
  /** The client secret that it was taken with. */
  readonly secretId: string;
  readonly scopes: readonly SignalScope[];
  readonly issuedAt: Instant;
  readonly expiresAt: Instant;
};

/** Never renumber: issued tokens contain these codes. */
const scopeCodes = { 'ssf.read': 1, 'ssf.manage': 2 } as const satisfies Record<SignalScope, number>;

/** The salt is stored nowhere: unlike a pair of tokens, this one is never derived a second time. */
export const mintAddonToken = (keys: TokenKeys, claims: AddonTokenClaims): string => {
  const { tokenId, addonId, secretId, scopes, issuedAt, expiresAt } = claims;
  const origin = { keyId: keys.current, salt: newSalt() };
  return mintCredential(keys, 'access', origin, { grantId: tokenId, rotation: 0, expiresAt }, (writer) => {
    writer.byte(claimsLayouts.ofAddon);
    writer.id(addonId);
    writer.id(secretId);
    writer.instant(issuedAt);
    writer.byte(scopes.length);
    for (const scope of scopes) writer.byte(scopeCodes[scope]);
  });
};

/** Checks the MAC only, no I/O; null for every other text, the access tokens of grants included. */
export const readAddonToken = (keys: TokenKeys, token: string): AddonTokenClaims | null => {
  const opened = verifyCredential(keys, 'access', token);
  if (!opened || opened.rest.byte() !== claimsLayouts.ofAddon) return null;
  const { grantId: tokenId, expiresAt, rest } = opened;
  const claims = { addonId: rest.id(), secretId: rest.id(), issuedAt: rest.instant() };
  return { tokenId, expiresAt, ...claims, scopes: readScopes(rest) };
};

const readScopes = (reader: ByteReader): readonly SignalScope[] => {
  const codes = [...reader.bytes(reader.byte())];
  return signalScopes.filter((scope) => codes.includes(scopeCodes[scope]));
};
