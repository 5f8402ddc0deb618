import { byteReader, byteWriter, type ByteReader, type ByteWriter } from './credential-bytes.ts';
import { sameBytes } from './secrets.ts';
import { macFor, type TokenKeys } from './token-keys.ts';

/** Layout 1: version, key id, content, tag (16 bytes); in base64url after a visible prefix. */
const layout = 1;
const tagLength = 16;
const longest = 2048;

/** Makes a string that only this server can make; the tag covers the prefix, too. */
export const signText = (
  keys: TokenKeys,
  prefix: string,
  keyId: string,
  write: (writer: ByteWriter) => void,
): string => {
  const writer = byteWriter();
  writer.byte(layout);
  writer.id(keyId);
  write(writer);
  const tag = tagOf(keys, prefix, keyId, writer.written());
  if (!tag) throw new Error(`there is no token key ${keyId}`);
  writer.bytes(tag);
  return prefix + writer.written().toString('base64url');
};

/** Verifies such a string without any I/O; null for everything that this server did not make under this prefix. */
export const verifyText = (
  keys: TokenKeys,
  prefix: string,
  text: string,
): { readonly keyId: string; readonly reader: ByteReader } | null => {
  const bytes = bytesOf(prefix, text);
  if (!bytes || bytes.length < tagLength || bytes[0] !== layout) return null;
  const signed = bytes.subarray(0, bytes.length - tagLength);
  const tag = tagOf(keys, prefix, keyIdOf(signed), signed);
  if (!tag || !sameBytes(tag, bytes.subarray(signed.length))) return null;
  const reader = byteReader(signed);
  reader.byte();
  return { keyId: reader.id(), reader };
};

const tagOf = (keys: TokenKeys, prefix: string, keyId: string, signed: Uint8Array): Buffer | null =>
  macFor(keys, keyId, 'tag', prefix, signed)?.subarray(0, tagLength) ?? null;

/** Strict base64url: another spelling of the same bytes is not accepted. */
const bytesOf = (prefix: string, text: string): Buffer | null => {
  if (text.length > longest || !text.startsWith(prefix)) return null;
  const encoded = text.slice(prefix.length);
  const bytes = Buffer.from(encoded, 'base64url');
  return bytes.toString('base64url') === encoded ? bytes : null;
};

/** Not trustworthy before the tag is checked: it only says which key to check with. */
const keyIdOf = (bytes: Buffer): string => bytes.toString('latin1', 2, 2 + (bytes[1] ?? 0));
