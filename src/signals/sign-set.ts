import { SignJWT } from 'jose';
import type { IdTokenAlg } from '../domain/addons/addon.ts';
import type { KeyRing } from '../signing/key-ring.ts';
import type { StoredClaims } from './set-draft.ts';

export type SignSetDependencies = {
  readonly ring: Pick<KeyRing, 'signer'>;
  readonly issuer: string;
  /** The algorithm of the add-on's id_tokens, which its SETs have, too. */
  readonly algOf: (addonId: string) => Promise<IdTokenAlg>;
};

/** A SET in compact form. A repeat may have another signature, and another key; `jti` and all claims are the same. */
export type SignSet = (
  addonId: string,
  set: { readonly jti: string; readonly claims: StoredClaims },
) => Promise<string>;

/**
 * Signs when a SET is offered, never in the request that decides (SG-04). The explicit type, and the missing `sub` and
 * `exp`, keep a SET from being taken for an id_token or an access token (RFC 8417 §4.5 to §4.8).
 */
export const makeSignSet =
  ({ ring, issuer, algOf }: SignSetDependencies): SignSet =>
  async (addonId, { jti, claims }) => {
    const { kid, alg, privateKey } = await ring.signer(await algOf(addonId));
    return new SignJWT({ iss: issuer, aud: addonId, jti, ...claims })
      .setProtectedHeader({ alg, kid, typ: 'secevent+jwt' })
      .sign(privateKey);
  };
