import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** The server's keys. New credentials are made under `current`; others stay valid until their key is removed. */
export type TokenKeys = {
  readonly current: string;
  /** 32 bytes each, by key id. */
  readonly keys: ReadonlyMap<string, Uint8Array>;
};

const keyIdGrammar = /^[A-Za-z0-9_]{1,16}$/;

/** Reads `keyId:base64url,…`, the current key first. @throws for another form, naming the key id at most, never the key */
export const parseTokenKeys = (text: string): TokenKeys => {
  const pairs = text.split(',').map((pair) => parsePair(pair.trim()));
  const [first] = pairs;
  if (!first) throw new Error('no token key is given');
  const keys = new Map(pairs);
  if (keys.size !== pairs.length) throw new Error('two token keys have the same id');
  return { current: first[0], keys };
};

const parsePair = (pair: string): readonly [string, Uint8Array] => {
  const [keyId = '', encoded = ''] = pair.split(':', 2);
  if (!keyIdGrammar.test(keyId))
    throw new Error('a token key must have an id of 1 to 16 letters, digits or _');
  const key = Buffer.from(encoded, 'base64url');
  if (key.length !== 32 || key.toString('base64url') !== encoded)
    throw new Error(`the token key ${keyId} must be 32 bytes in base64url without padding`);
  return [keyId, key];
};

/** What a derived key is for: a value made for one purpose is useless for another. */
export type KeyPurpose =
  | 'secret'
  | 'tag'
  | 'session'
  | 'device'
  | 'device-of'
  | 'sign-in-counter'
  | 'rate-limit'
  | 'cursor'
  | 'interaction'
  | 'idempotency'
  | 'prepared-answer'
  | 'federation'
  | 'signing-key'
  | 'signing-key-row'
  | 'subject-key'
  | 'signal-authorization';

const derived = new WeakMap<TokenKeys, Map<string, KeyObject>>();

/** The subkey for one purpose (HKDF-SHA256, derived once per key), or null when there is no key with that id. */
export const subkeyFor = (keys: TokenKeys, keyId: string, purpose: KeyPurpose): KeyObject | null => {
  let cache = derived.get(keys);
  if (!cache) derived.set(keys, (cache = new Map()));
  const cached = cache.get(`${purpose}:${keyId}`);
  if (cached) return cached;
  const key = keys.keys.get(keyId);
  if (!key) return null;
  const subkey = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `grantbook ${purpose}`, 32)));
  cache.set(`${purpose}:${keyId}`, subkey);
  return subkey;
};

/** HMAC-SHA256 of the parts under the key's subkey for this purpose; null when there is no key with that id. */
export const macFor = (
  keys: TokenKeys,
  keyId: string,
  purpose: KeyPurpose,
  ...parts: readonly (string | Uint8Array)[]
): Buffer | null => {
  const subkey = subkeyFor(keys, keyId, purpose);
  if (!subkey) return null;
  const mac = createHmac('sha256', subkey);
  for (const part of parts) mac.update(part);
  return mac.digest();
};

/** The subkeys of all keys for one purpose, 32 bytes each; that of the current key first. */
export const subkeysFor = (keys: TokenKeys, purpose: KeyPurpose): readonly [Subkey, ...Subkey[]] => {
  const ids = [keys.current, ...[...keys.keys.keys()].filter((id) => id !== keys.current)];
  const [current, ...others] = ids.flatMap((id) => {
    const key = subkeyFor(keys, id, purpose)?.export();
    return key ? [{ id, key }] : [];
  });
  if (current?.id !== keys.current)
    throw new Error(`the current token key ${keys.current} is not among the keys`);
  return [current, ...others];
};

export type Subkey = { readonly id: string; readonly key: Uint8Array };

/** A pseudonym for a text that must not be readable: the same text gives the same pseudonym under the same current key. */
export const hiddenUnder =
  (keys: TokenKeys, purpose: KeyPurpose) =>
  (text: string): string =>
    macFor(keys, keys.current, purpose, text)?.toString('base64url') ?? '';
