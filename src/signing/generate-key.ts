import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint } from 'jose';
import type { TokenKeys } from '../commands/token-keys.ts';
import type { Instant } from '../domain/decision.ts';
import { sealPrivateKey } from './sealed-key.ts';
import type { StoredKey } from './signing-key.ts';

const generate = promisify(generateKeyPair);

/** A new RSA key, its private half sealed at once: it leaves this function in no other form. */
export const generateSigningKey = async (
  keys: TokenKeys,
  { createdAt, currentFrom }: { readonly createdAt: Instant; readonly currentFrom: Instant },
): Promise<StoredKey> => {
  const { publicKey, privateKey } = await generate('rsa', { modulusLength: 2048 });
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const kid = await calculateJwkThumbprint({ kty: 'RSA', n, e });
  return {
    kid,
    publicJwk: { kty: 'RSA', n, e, kid, use: 'sig', alg: 'RS256' },
    ...sealPrivateKey(keys, kid, privateKey),
    createdAt,
    currentFrom,
  };
};
