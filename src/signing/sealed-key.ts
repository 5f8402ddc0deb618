import { createCipheriv, createDecipheriv, createPrivateKey, randomBytes, type KeyObject } from 'node:crypto';
import { subkeyFor, type TokenKeys } from '../commands/token-keys.ts';
import type { StoredKey } from './signing-key.ts';

const cipher = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

type Sealed = Pick<StoredKey, 'tokenKeyId' | 'sealedPrivateKey'>;

/** Seals the private half under the current token key: nonce, ciphertext, tag. The key id is authenticated with it. */
export const sealPrivateKey = (keys: TokenKeys, kid: string, privateKey: KeyObject): Sealed => {
  const subkey = subkeyFor(keys, keys.current, 'signing-key');
  if (!subkey) throw new Error(`there is no token key ${keys.current}`);
  const nonce = randomBytes(nonceLength);
  const sealing = createCipheriv(cipher, subkey, nonce).setAAD(Buffer.from(kid));
  const plain = privateKey.export({ type: 'pkcs8', format: 'der' });
  const sealedPrivateKey = Buffer.concat([
    nonce,
    sealing.update(plain),
    sealing.final(),
    sealing.getAuthTag(),
  ]);
  plain.fill(0);
  return { tokenKeyId: keys.current, sealedPrivateKey };
};

/** Null when its token key is no longer among ours: the key can be published, but signs nothing here. */
export const openPrivateKey = (
  keys: TokenKeys,
  { kid, tokenKeyId, sealedPrivateKey }: Pick<StoredKey, 'kid'> & Sealed,
): KeyObject | null => {
  const subkey = subkeyFor(keys, tokenKeyId, 'signing-key');
  if (!subkey) return null;
  const sealed = Buffer.from(sealedPrivateKey);
  const end = sealed.length - tagLength;
  try {
    const opening = createDecipheriv(cipher, subkey, sealed.subarray(0, nonceLength), {
      authTagLength: tagLength,
    })
      .setAAD(Buffer.from(kid))
      .setAuthTag(sealed.subarray(end));
    const plain = Buffer.concat([opening.update(sealed.subarray(nonceLength, end)), opening.final()]);
    return createPrivateKey({ key: plain, type: 'pkcs8', format: 'der' });
  } catch {
    return null; // sealed by another server's key of the same id, or not the row that was written
  }
};
