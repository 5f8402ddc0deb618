import { createLocalJWKSet, errors, type JSONWebKeySet } from 'jose';
import { atMostEvery } from '../common/at-most-every.ts';
import type { SignInProvider } from '../config/sign-in-providers.ts';
import { type SigningAlg, signingAlgs } from '../domain/people/identity.ts';
import type { LimitedFetch } from './limited-fetch.ts';
import { ProviderTrouble } from './provider-trouble.ts';

/** In milliseconds: a key set is read again after this, and sooner when a token names a key that is not in it. */
const keySetAge = 300_000;

/** Between two calls of a provider's address, whatever the first has answered: in milliseconds. */
export const callsApart = 5_000;

export type ProviderKeys = {
  /** The key set as of a few minutes ago; null where it was never read, or is older. */
  readonly known: () => JSONWebKeySet | null;
  /** Reads the key set, one call at a time, at most every five seconds: any stranger can name an unknown key. */
  readonly read: () => Promise<JSONWebKeySet>;
  /** Verifies with the known keys, and with new ones if the token's key is not among them. */
  readonly verifiedWith: <T>(
    verify: (keys: ReturnType<typeof createLocalJWKSet>) => Promise<T>,
  ) => Promise<T>;
};

type Dependencies = {
  readonly fetch: LimitedFetch;
  readonly address: () => Promise<string | undefined>;
  readonly now: () => number;
};

export const makeProviderKeys = ({ fetch, address, now }: Dependencies): ProviderKeys => {
  let newest: { readonly jwks: JSONWebKeySet; readonly at: number } | null = null;
  const read = atMostEvery(
    callsApart,
    async () => {
      const url = await address();
      if (url === undefined) throw new ProviderTrouble('invalid-answer', 'it names no jwks_uri');
      const jwks = (await (await fetch(url)).json()) as JSONWebKeySet;
      createLocalJWKSet(jwks); // throws for what is no key set
      newest = { jwks, at: now() };
      return jwks;
    },
    now,
  );
  const known = () => (newest && Math.abs(now() - newest.at) < keySetAge ? newest.jwks : null);
  return {
    known,
    read,
    verifiedWith: async (verify) => {
      try {
        return await verify(createLocalJWKSet(known() ?? (await read())));
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        return verify(createLocalJWKSet(await read()));
      }
    },
  };
};

/**
 * The one accepted algorithm: the settings'; else RS256 if offered or unsaid (OIDC Registration §2); else the only asymmetric one.
 * @throws ProviderTrouble where it has to be set, here or at the provider
 */
export const signingAlgOf = (
  { signingAlg }: Pick<SignInProvider, 'signingAlg'>,
  { id_token_signing_alg_values_supported: offered }: { id_token_signing_alg_values_supported?: unknown },
): SigningAlg => {
  if (signingAlg !== undefined) return signingAlg;
  if (!Array.isArray(offered) || offered.includes('RS256')) return 'RS256';
  const usable = signingAlgs.filter((alg) => offered.includes(alg));
  const [only] = usable;
  if (only !== undefined && usable.length === 1) return only;
  throw new ProviderTrouble(
    'invalid-answer',
    usable.length === 0
      ? `it offers no algorithm with a public key for id_tokens: it has to sign them with one of ${signingAlgs.join(', ')}`
      : `id_token_signed_response_alg has to be set for it, because it offers ${usable.join(', ')}`,
  );
};
