import { createPublicKey } from 'node:crypto';
import type { JwsType } from '#verify';
import { CompactSign } from 'jose';
import type { Signer } from './key-ring.ts';

/** @returns a compact JWS (RFC 7515 §3.1) whose header holds the public key and its id */
export type SignJws = (type: JwsType, payload: string) => Promise<string>;

/** RS256, which every library and a few lines of arithmetic can verify. */
export const makeSignJws =
  (signer: () => Promise<Signer>): SignJws =>
  async (typ, payload) => {
    const { alg, kid, privateKey } = await signer();
    const jwk = createPublicKey(privateKey.export({ type: 'pkcs8', format: 'pem' })).export({
      format: 'jwk',
    });
    return new CompactSign(Buffer.from(payload))
      .setProtectedHeader({ alg, jwk: { kty: jwk.kty, n: jwk.n, e: jwk.e } as object, kid, typ })
      .sign(privateKey);
  };
