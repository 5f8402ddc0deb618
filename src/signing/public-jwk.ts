import type { KeyObject } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import type { IdTokenAlg } from '../domain/addons/addon.ts';
import type { PublicJwk } from './signing-key.ts';

/** Each member is named, so that no other member is ever published. */
export const publicJwkOf = async (alg: IdTokenAlg, publicKey: KeyObject): Promise<PublicJwk> => {
  const { n = '', e = '', x = '', y = '' } = publicKey.export({ format: 'jwk' });
  if (alg === 'RS256') {
    const key = { kty: 'RSA', n, e } as const;
    return { ...key, kid: await calculateJwkThumbprint(key), use: 'sig', alg };
  }
  const key = { kty: 'EC', crv: 'P-256', x, y } as const;
  return { ...key, kid: await calculateJwkThumbprint(key), use: 'sig', alg };
};

/** A public key as we publish it: standard members, its thumbprint (RFC 7638) as id; null for anything else. */
export const readPublicJwk = async (value: unknown): Promise<PublicJwk | null> => {
  const { alg, n, e, x, y } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const key =
    alg === 'RS256' && isMember(n) && isMember(e)
      ? ({ kty: 'RSA', n, e, alg } as const)
      : alg === 'ES256' && isMember(x) && isMember(y)
        ? ({ kty: 'EC', crv: 'P-256', x, y, alg } as const)
        : null;
  if (key === null) return null;
  const read: PublicJwk = { ...key, kid: await calculateJwkThumbprint(key), use: 'sig' };
  return jwkText({ ...(value as PublicJwk), kid: read.kid }) === jwkText(read) ? read : null;
};

const isMember = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z0-9_-]+$/.test(value);

/** The same text for a key, whatever the order of its members. */
export const jwkText = (jwk: PublicJwk): string =>
  JSON.stringify(Object.fromEntries(Object.entries(jwk).toSorted(([a], [b]) => (a < b ? -1 : 1))));
