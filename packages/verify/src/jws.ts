import { calculateJwkThumbprint, compactVerify, importJWK } from 'jose';
import { z } from 'zod';
import { canonicalJson } from './canonical-json.ts';

/** The type in the header of a JWS, so that none can be used in place of another, or of an id_token. */
export type JwsType = 'audit-export+jws' | 'log-head+jws' | 'log-copy+jws';

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/);
const rsaKey = z.object({ kty: z.literal('RSA'), n: base64url, e: base64url });
const header = z.strictObject({
  alg: z.literal('RS256'),
  jwk: z.strictObject(rsaKey.shape),
  kid: z.string(),
  typ: z.string(),
});

/** Keys that were kept outside: a JWK Set (RFC 7517 §5); only its RSA keys can have signed. */
export const jwks = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });
export type Jwks = z.output<typeof jwks>;

export type Verified = { readonly payload: string; readonly kid: string; readonly trusted: boolean };

/** What is wrong with a signed part, as the predicate of a sentence about it. */
export class BadJws extends Error {
  override readonly name = 'BadJws';
}

/**
 * Verifies form and signature. Without kept keys it only shows that nothing has changed since it was signed with the
 * key in its header.
 * @throws BadJws
 */
export const verifyJws = async (text: string, type: JwsType, kept: Jwks | null): Promise<Verified> => {
  const [encodedHeader = '', encodedPayload = '', encodedSignature = '', ...more] = text.split('.');
  if (more.length > 0 || !encodedSignature) throw new BadJws('is not a compact JWS');
  const read = header.safeParse(parseJson(decoded(encodedHeader).toString()));
  if (!read.success)
    throw new BadJws(`has a header that is not of this format (${read.error.issues[0]?.path.join('.')})`);
  const { jwk, kid, typ } = read.data;
  if (typ !== type) throw new BadJws(`is of the type ${JSON.stringify(typ)}, not ${type}`);
  if (kid !== (await calculateJwkThumbprint(jwk)))
    throw new BadJws('names a key that is not the one it holds');
  const payload = decoded(encodedPayload).toString();
  decoded(encodedSignature);
  const isGood = await compactVerify(text, await importJWK(jwk, 'RS256')).then(
    () => true,
    () => false,
  );
  if (!isGood) throw new BadJws('has a signature that does not match its key');
  if (kept !== null && !(await isAmong(kept, kid)))
    throw new BadJws(`is signed by the key ${kid}, which is not among the keys that were given`);
  return { payload, kid, trusted: kept !== null };
};

const isAmong = async (kept: Jwks, kid: string): Promise<boolean> => {
  for (const key of kept.keys) {
    const rsa = rsaKey.safeParse(key);
    if (rsa.success && (await calculateJwkThumbprint(rsa.data)) === kid) return true;
  }
  return false;
};

/** Several base64url texts decode to the same bytes; only one of them is the original. */
const decoded = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw new BadJws('is not base64url');
  return bytes;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The signed content, if it is in the form in which it was signed. @throws BadJws */
export const parsePayload = <T>(schema: z.ZodType<T>, payload: string): T => {
  const value = parseJson(payload);
  const read = schema.safeParse(value);
  if (!read.success)
    throw new BadJws(`does not say what it should (${read.error.issues[0]?.path.join('.')})`);
  if (canonicalJson(value) !== payload) throw new BadJws('is not canonical JSON');
  return read.data;
};
