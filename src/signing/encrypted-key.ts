import { createPrivateKey, type KeyObject, generateKeyPair } from 'node:crypto';
import { subkeyFor, type TokenKeys } from '../commands/credentials/token-keys.ts';
import { decrypt, encrypt } from '../common/aes-gcm.ts';
import type { StoredKey } from './signing-key.ts';
import { promisify } from 'node:util';
import type { IdTokenAlg } from '../domain/addons/addon.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import { publicJwkOf } from './public-jwk.ts';

type Encrypted = Pick<StoredKey, 'tokenKeyId' | 'encryptedPrivateKey'>;

/** Encrypts the private half under the current token key: nonce, ciphertext, tag. The key id is authenticated with it. */
export const encryptPrivateKey = (keys: TokenKeys, kid: string, privateKey: KeyObject): Encrypted => {
  const subkey = subkeyFor(keys, keys.current, 'signing-key');
  if (!subkey) throw new Error(`there is no token key ${keys.current}`);
  const plain = privateKey.export({ type: 'pkcs8', format: 'der' });
  const encryptedPrivateKey = encrypt(subkey, kid, plain);
  plain.fill(0);
  return { tokenKeyId: keys.current, encryptedPrivateKey };
};

/** Null when its token key is no longer among ours: the key can be published, but cannot sign here. */
export const decryptPrivateKey = (
  keys: TokenKeys,
  { kid, tokenKeyId, encryptedPrivateKey }: Pick<StoredKey, 'kid'> & Encrypted,
): KeyObject | null => {
  const subkey = subkeyFor(keys, tokenKeyId, 'signing-key');
  const plain = subkey && decrypt(subkey, kid, Buffer.from(encryptedPrivateKey));
  try {
    return plain && createPrivateKey({ key: plain, type: 'pkcs8', format: 'der' });
  } catch {
    return null; // encrypted under another server's key with the same id, or the row was changed
  }
};

const generate = promisify(generateKeyPair);

const pairs = {
  RS256: () => generate('rsa', { modulusLength: 2048 }),
  ES256: () => generate('ec', { namedCurve: 'P-256' }),
} satisfies Record<IdTokenAlg, unknown>;

/** A new key whose private half is encrypted at once: it leaves this function only in that form. */
export const generateSigningKey = async (
  keys: TokenKeys,
  alg: IdTokenAlg,
  { createdAt, currentFrom }: { readonly createdAt: Instant; readonly currentFrom: Instant },
): Promise<StoredKey> => {
  const { publicKey, privateKey } = await pairs[alg]();
  const publicJwk = await publicJwkOf(alg, publicKey);
  const { kid } = publicJwk;
  return {
    kid,
    publicJwk,
    ...encryptPrivateKey(keys, kid, privateKey),
    createdAt,
    currentFrom,
    retiredAt: null,
  };
};
