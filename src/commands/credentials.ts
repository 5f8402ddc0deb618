import { byteReader, byteWriter, type ByteReader, type ByteWriter } from './credential-bytes.ts';
import { sameBytes } from './secrets.ts';
import { macFor, type TokenKeys } from './token-keys.ts';

export type CredentialKind = 'code' | 'access' | 'refresh';

/** Visible, so that secret scanners find a leaked one. */
export const prefixes = {
  code: 'mkt_code_',
  access: 'mkt_at_',
  refresh: 'mkt_rt_',
} as const satisfies Record<CredentialKind, string>;

/** What a credential hangs on in the log: a key and the salt that an event keeps. */
export type Origin = { readonly keyId: string; readonly salt: string };

/** What every credential carries. A code has rotation 0. */
export type Address = { readonly grantId: string; readonly rotation: number; readonly expiresAt: number };

/** A string of ours, opened: its tag was right. `rest` are the claims of an access token. */
export type OpenedCredential = Address & {
  readonly keyId: string;
  readonly secret: Uint8Array;
  readonly rest: ByteReader;
};

/** Layout 1: version, key id, grant id, rotation, expiry, secret (32 bytes), claims, tag (16 bytes). */
const layout = 1;
const secretLength = 32;
const tagLength = 16;
const longest = 2048;

/**
 * Makes the credential of this kind. The same arguments always give the same string, so a repeat needs no memory
 * of what was answered; without the key it cannot be made from all that the log holds.
 */
export const mintCredential = (
  keys: TokenKeys,
  kind: CredentialKind,
  origin: Origin,
  address: Address,
  writeClaims?: (writer: ByteWriter) => void,
): string => {
  const writer = byteWriter();
  writer.byte(layout);
  writer.id(origin.keyId);
  writer.id(address.grantId);
  writer.uint32(address.rotation);
  writer.instant(address.expiresAt);
  writer.bytes(secretOf(keys, kind, origin, address));
  writeClaims?.(writer);
  const tag = tagOf(keys, kind, origin.keyId, writer.written());
  if (!tag) throw new Error(`there is no token key ${origin.keyId}`);
  writer.bytes(tag);
  return prefixes[kind] + writer.written().toString('base64url');
};

/** Opens a credential of this kind without any I/O; null for everything that this server did not make. */
export const openCredential = (
  keys: TokenKeys,
  kind: CredentialKind,
  text: string,
): OpenedCredential | null => {
  const bytes = bytesOf(kind, text);
  if (!bytes || bytes.length < secretLength + tagLength || bytes[0] !== layout) return null;
  const signed = bytes.subarray(0, bytes.length - tagLength);
  const tag = tagOf(keys, kind, keyIdOf(signed), signed);
  if (!tag || !sameBytes(tag, bytes.subarray(signed.length))) return null;
  const reader = byteReader(signed);
  reader.byte();
  return {
    keyId: reader.id(),
    grantId: reader.id(),
    rotation: reader.uint32(),
    expiresAt: reader.instant(),
    secret: reader.bytes(secretLength),
    rest: reader,
  };
};

/** Whether its secret part is the one derived from what the event kept, now that the stream has been folded. */
export const isFrom = (
  keys: TokenKeys,
  kind: CredentialKind,
  opened: OpenedCredential,
  { keyId, salt }: Origin,
): boolean =>
  opened.keyId === keyId && sameBytes(opened.secret, secretOf(keys, kind, { keyId, salt }, opened));

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

const tagOf = (keys: TokenKeys, kind: CredentialKind, keyId: string, signed: Uint8Array): Buffer | null =>
  macFor(keys, keyId, 'tag', prefixes[kind], signed)?.subarray(0, tagLength) ?? null;

/** Strict base64url: a string that would decode to the same bytes in another spelling is not ours. */
const bytesOf = (kind: CredentialKind, text: string): Buffer | null => {
  if (text.length > longest || !text.startsWith(prefixes[kind])) return null;
  const encoded = text.slice(prefixes[kind].length);
  const bytes = Buffer.from(encoded, 'base64url');
  return bytes.toString('base64url') === encoded ? bytes : null;
};

/** Not to be trusted before the tag is checked: it only says which key to check with. */
const keyIdOf = (bytes: Buffer): string => bytes.toString('latin1', 2, 2 + (bytes[1] ?? 0));
