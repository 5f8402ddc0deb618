import type { SignInProvider } from '../config/sign-in-providers.ts';
import { type SigningAlg, signingAlgs } from '../domain/people/identity.ts';
import { ProviderTrouble } from './provider-trouble.ts';

/**
 * The one algorithm that a provider's tokens are accepted with: that of the settings; otherwise RS256, if the metadata
 * offers it or does not say (OpenID Connect Registration §2); otherwise the only asymmetric one that it offers.
 * @throws ProviderTrouble where it has to be set
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
  const found = usable.length === 0 ? 'no algorithm with a public key' : usable.join(', ');
  throw new ProviderTrouble(
    'invalid-answer',
    `id_token_signed_response_alg has to be set for it, because it offers ${found}`,
  );
};
