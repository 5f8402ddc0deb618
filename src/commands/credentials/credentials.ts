import type { ByteReader, ByteWriter } from './credential-bytes.ts';
import { sameBytes } from './secrets.ts';
import { verifyText, signText } from './tagged-text.ts';
import { macFor, type TokenKeys } from './token-keys.ts';

export type CredentialKind = 'code' | 'access' | 'refresh';

/** Visible, so that secret scanners find a leaked one. */
export const prefixes = {
  code: 'mkt_code_',
  access: 'mkt_at_',
  refresh: 'mkt_rt_',
} as const satisfies Record<CredentialKind, string>;

/** What a credential is derived from: a key and the salt in an event. */
export type Origin = { readonly keyId: string; readonly salt: string };

/** The content of every credential. A code has rotation 0. */
export type Address = { readonly grantId: string; readonly rotation: number; readonly expiresAt: number };

/** The content of a credential of ours whose tag was verified. `rest` are the claims of an access token. */
export type VerifiedCredential = Address & {
  readonly keyId: string;
  readonly secret: Uint8Array;
  readonly rest: ByteReader;
};

/** The first byte of an access token's claims says what follows. Never renumber: a new layout gets the next number. */
export const claimsLayouts = { ofGrant: 1, ofAddon: 2 } as const;

const secretLength = 32;

/** Makes the credential of this kind, always the same for the same arguments. It cannot be made from the log without the key. */
export const mintCredential = (
  keys: TokenKeys,
  kind: CredentialKind,
  origin: Origin,
  address: Address,
  writeClaims?: (writer: ByteWriter) => void,
): string =>
  signText(keys, prefixes[kind], origin.keyId, (writer) => {
    writer.id(address.grantId);
    writer.uint32(address.rotation);
    writer.instant(address.expiresAt);
    writer.bytes(secretOf(keys, kind, origin, address));
    writeClaims?.(writer);
  });

/** Verifies a credential of this kind without any I/O; null for everything that this server did not make. */
export const verifyCredential = (
  keys: TokenKeys,
  kind: CredentialKind,
  text: string,
): VerifiedCredential | null => {
  const opened = verifyText(keys, prefixes[kind], text);
  if (!opened) return null;
  const { keyId, reader } = opened;
  return {
    keyId,
    grantId: reader.id(),
    rotation: reader.uint32(),
    expiresAt: reader.instant(),
    secret: reader.bytes(secretLength),
    rest: reader,
  };
};

/** Whether its secret part is derived from what the event holds; called once the stream has been folded. */
export const isFrom = (
  keys: TokenKeys,
  kind: CredentialKind,
  opened: VerifiedCredential,
  origin: Origin,
): boolean => opened.keyId === origin.keyId && sameBytes(opened.secret, secretOf(keys, kind, origin, opened));

const secretOf = (
  keys: TokenKeys,
  kind: CredentialKind,
  { keyId, salt }: Origin,
  { grantId, rotation }: { readonly grantId: string; readonly rotation: number },
): Uint8Array => {
  const secret = macFor(keys, keyId, 'secret', `${kind}\n${grantId}\n${rotation}\n${salt}`);
  if (!secret) throw new Error(`there is no token key ${keyId}`);
  return secret;
};
