import { hash } from 'node:crypto';
import { errors, importJWK, jwtVerify, SignJWT } from 'jose';
import type { IdTokenAlg } from '../domain/addons/addon.ts';
import { idTokenAlgs } from '../domain/addons/events.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import type { Authentication } from '../domain/access/grant.ts';
import type { KeyRing } from './key-ring.ts';
import { idTokenLifetime, type PublicJwk } from './signing-key.ts';

/** The content of an id_token about the user who signed in (OpenID Connect Core §2). */
export type IdTokenClaims = {
  readonly issuer: string;
  readonly userId: string;
  readonly addonId: string;
  /** Whose records the access token opens (AP-01); null for a user's own. */
  readonly organizationId: string | null;
  readonly authTime: Instant;
  /** Null where the add-on sent none, and on a refresh (RT-14). */
  readonly nonce: string | null;
  /** What the user's provider says about the sign-in (Core §2). */
  readonly authentication: Authentication | null;
  /** The access token of the same answer (Core §3.1.3.6). */
  readonly accessToken: string;
  readonly alg: IdTokenAlg;
};

/** Identity as http sees it. Nothing is loaded before the first add-on asks for `openid`. */
export type IdTokens = {
  issue(claims: IdTokenClaims): Promise<string>;
  /** The user and the add-on of an id_token of ours, expired or not; null for any other string (AZ-21). */
  read(idToken: string, issuer: string): Promise<Pick<IdTokenClaims, 'userId' | 'addonId'> | null>;
  /** Every key that may have signed a still valid id_token. */
  readonly publicKeys: () => Promise<readonly PublicJwk[]>;
};

export const makeIdTokens = (ring: KeyRing, now: () => Instant): IdTokens => ({
  publicKeys: ring.publicKeys,
  read: makeRead(ring),
  async issue({ issuer, userId, addonId, accessToken, alg, ...claims }) {
    const { organizationId, authTime, nonce, authentication } = claims;
    const { kid, privateKey } = await ring.signer(alg);
    const issuedAt = inSeconds(now());
    return new SignJWT({
      auth_time: inSeconds(authTime),
      at_hash: atHash(accessToken),
      ...(organizationId !== null && { organization_id: organizationId }),
      ...(nonce !== null && { nonce }),
      ...(authentication?.acr && { acr: authentication.acr }),
      ...(authentication?.amr && { amr: authentication.amr }),
    })
      .setProtectedHeader({ alg, kid, typ: 'JWT' })
      .setIssuer(issuer)
      .setSubject(userId)
      .setAudience(addonId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + idTokenLifetime / 1000)
      .sign(privateKey);
  },
});

const makeRead = (ring: KeyRing): IdTokens['read'] => {
  // A key signs with one algorithm only: a token that has its id and another algorithm was not signed by it.
  const keyFor = async ({ kid = '', alg }: { readonly kid?: string; readonly alg?: string }) => {
    const jwk = await ring.publicKeyOf(kid);
    if (jwk?.alg !== alg) throw new errors.JWKSNoMatchingKey();
    return importJWK({ ...jwk });
  };
  return async (idToken, issuer) => {
    try {
      const expected = { issuer, algorithms: [...idTokenAlgs], currentDate: longAgo };
      const { sub, aud } = (await jwtVerify(idToken, keyFor, expected)).payload;
      return sub !== undefined && typeof aud === 'string' ? { userId: sub, addonId: aud } : null;
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  };
};

/** At this time nothing has expired yet. */
const longAgo = new Date(0);

const inSeconds = (instant: Instant): number => Math.floor(instant / 1000);

/** Both of our algorithms use SHA-256; the left half of the hash binds the two tokens to each other. */
const atHash = (accessToken: string): string =>
  hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url');
