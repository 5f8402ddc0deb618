import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint } from 'jose';
import type { TokenKeys } from '../commands/token-keys.ts';
import type { IdTokenAlg } from '../domain/addon.ts';
import type { Instant } from '../domain/decision.ts';
import { sealPrivateKey } from './sealed-key.ts';
import type { PublicJwk, StoredKey } from './signing-key.ts';

const generate = promisify(generateKeyPair);

const pairs = {
  RS256: () => generate('rsa', { modulusLength: 2048 }),
  ES256: () => generate('ec', { namedCurve: 'P-256' }),
} satisfies Record<IdTokenAlg, unknown>;

/** Named one by one, so that no other member ever slips into what is published. */
const publicJwkOf = async (alg: IdTokenAlg, publicKey: KeyObject): Promise<PublicJwk> => {
  const { n = '', e = '', x = '', y = '' } = publicKey.export({ format: 'jwk' });
  if (alg === 'RS256') {
    const key = { kty: 'RSA', n, e } as const;
    return { ...key, kid: await calculateJwkThumbprint(key), use: 'sig', alg };
  }
  const key = { kty: 'EC', crv: 'P-256', x, y } as const;
  return { ...key, kid: await calculateJwkThumbprint(key), use: 'sig', alg };
};

/** A new key, its private half sealed at once: it leaves this function in no other form. */
export const generateSigningKey = async (
  keys: TokenKeys,
  alg: IdTokenAlg,
  { createdAt, currentFrom }: { readonly createdAt: Instant; readonly currentFrom: Instant },
): Promise<StoredKey> => {
  const { publicKey, privateKey } = await pairs[alg]();
  const publicJwk = await publicJwkOf(alg, publicKey);
  const { kid } = publicJwk;
  return { kid, publicJwk, ...sealPrivateKey(keys, kid, privateKey), createdAt, currentFrom };
};
