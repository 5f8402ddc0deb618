import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { TokenKeys } from '../commands/credentials/token-keys.ts';
import type { IdTokenAlg } from '../domain/addons/addon.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import { publicJwkOf } from './public-jwk.ts';
import { encryptPrivateKey } from './encrypted-key.ts';
import type { StoredKey } from './signing-key.ts';

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
