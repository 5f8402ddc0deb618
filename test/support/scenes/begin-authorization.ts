import * as client from 'openid-client';

/** The link to which an add-on with openid-client sends a browser, and what it checks the answer with. */
export const beginAuthorization = async (
  config: client.Configuration,
  asked: { readonly redirect_uri: string; readonly scope: string; readonly max_age?: string },
) => {
  const checks = {
    pkceCodeVerifier: client.randomPKCECodeVerifier(),
    expectedNonce: client.randomNonce(),
    expectedState: client.randomState(),
    idTokenExpected: true,
  };
  const link = client.buildAuthorizationUrl(config, {
    ...asked,
    nonce: checks.expectedNonce,
    state: checks.expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  return { checks, link };
};
