import { createCipheriv, createDecipheriv, createPrivateKey, randomBytes, type KeyObject } from 'node:crypto';
import { subkeyFor, type TokenKeys } from '../commands/token-keys.ts';
import type { StoredKey } from './signing-key.ts';

const cipher = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

type Encrypted = Pick<StoredKey, 'tokenKeyId' | 'encryptedPrivateKey'>;

/** Encrypts the private half under the current token key: nonce, ciphertext, tag. The key id is authenticated with it. */
export const encryptPrivateKey = (keys: TokenKeys, kid: string, privateKey: KeyObject): Encrypted => {
  const subkey = subkeyFor(keys, keys.current, 'signing-key');
  if (!subkey) throw new Error(`there is no token key ${keys.current}`);
  const nonce = randomBytes(nonceLength);
  const encrypting = createCipheriv(cipher, subkey, nonce).setAAD(Buffer.from(kid));
  const plain = privateKey.export({ type: 'pkcs8', format: 'der' });
  const encryptedPrivateKey = Buffer.concat([
    nonce,
    encrypting.update(plain),
    encrypting.final(),
    encrypting.getAuthTag(),
  ]);
  plain.fill(0);
  return { tokenKeyId: keys.current, encryptedPrivateKey };
};

/** Null when its token key is no longer among ours: the key can be published, but cannot sign here. */
export const decryptPrivateKey = (
  keys: TokenKeys,
  { kid, tokenKeyId, encryptedPrivateKey }: Pick<StoredKey, 'kid'> & Encrypted,
): KeyObject | null => {
  const subkey = subkeyFor(keys, tokenKeyId, 'signing-key');
  if (!subkey) return null;
  const encrypted = Buffer.from(encryptedPrivateKey);
  const end = encrypted.length - tagLength;
  try {
    const decrypting = createDecipheriv(cipher, subkey, encrypted.subarray(0, nonceLength), {
      authTagLength: tagLength,
    })
      .setAAD(Buffer.from(kid))
      .setAuthTag(encrypted.subarray(end));
    const plain = Buffer.concat([
      decrypting.update(encrypted.subarray(nonceLength, end)),
      decrypting.final(),
    ]);
    return createPrivateKey({ key: plain, type: 'pkcs8', format: 'der' });
  } catch {
    return null; // encrypted under another server's key with the same id, or the row was changed
  }
};
