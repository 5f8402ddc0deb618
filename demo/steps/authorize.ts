import * as client from 'openid-client';
import { expectThat, type Narrator, shortSecret } from '../narrator.ts';
import { known, type Story } from '../cast.ts';

const scope = 'profiles:read access-rights:read';

export const discover = async ({ baseUrl, clientId }: Story, tell: Narrator): Promise<Partial<Story>> => {
  tell.sent(`GET ${baseUrl}/.well-known/oauth-authorization-server`);
  const found = await client.discovery(new URL(baseUrl), clientId, undefined, client.None(), {
    algorithm: 'oauth2',
    // Unencrypted http is only for a service on this machine.
    execute: baseUrl.startsWith('http:') ? [client.allowInsecureRequests] : [],
  });
  const metadata = found.serverMetadata();
  tell.received(`authorize at ${metadata.authorization_endpoint}, tokens at ${metadata.token_endpoint}`);
  return { client: found };
};

export const approve = async (state: Story, tell: Narrator): Promise<Partial<Story>> => {
  const { browser, redirectUri } = state;
  const verifier = client.randomPKCECodeVerifier();
  const addonState = client.randomState();
  const address = client.buildAuthorizationUrl(known(state, 'client'), {
    redirect_uri: redirectUri,
    scope,
    state: addonState,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    organization: known(state, 'handedOff'),
  });
  tell.sent(
    `GET ${address.pathname}?scope=${scope}&code_challenge_method=S256&organization=${state.handedOff}&…`,
  );
  const page = await browser.open(address.href);
  tell.received(`${page.status} page "${page.heading}"`);
  tell.sent('POST the form of the button "Allow"');
  const back = await browser.press(page, 'Allow');
  expectThat(
    back.url.href.startsWith(`${redirectUri}?`),
    `the browser is at ${back.url.href}, not at the add-on`,
  );
  const code = back.url.searchParams.get('code') ?? '';
  const error = back.url.searchParams.get('error') ?? 'no code';
  expectThat(code !== '', `the add-on was sent ${error}`);
  tell.received(`${back.redirects[0]?.status} to ${redirectUri}?code=${shortSecret(code)}&state=…&iss=…`);
  return { callback: { url: back.url, state: addonState, verifier } };
};

export const exchange = async (state: Story, tell: Narrator): Promise<Partial<Story>> => {
  const { url, state: expectedState, verifier } = known(state, 'callback');
  tell.sent(`POST /oauth/token grant_type=authorization_code code_verifier=${shortSecret(verifier)}`);
  const tokens = await client.authorizationCodeGrant(known(state, 'client'), url, {
    pkceCodeVerifier: verifier,
    expectedState,
  });
  return told(state, tokens, tell);
};

type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>;

/** Prints the tokens and for whom they are, and returns them for later steps. */
export const told = ({ organizationId }: Story, tokens: Tokens, tell: Narrator): Partial<Story> => {
  const { access_token: accessToken, refresh_token: refreshToken = '' } = tokens;
  const { organization_id: of } = tokens;
  expectThat(refreshToken !== '', 'the answer holds no refresh token');
  expectThat(of === organizationId, `the tokens are for ${JSON.stringify(of)}, not for ${organizationId}`);
  tell.received(
    `200 access_token ${shortSecret(accessToken)} for ${tokens.expires_in} s, ` +
      `refresh_token ${shortSecret(refreshToken)}, scope "${tokens.scope}", organization_id ${organizationId}`,
  );
  return { accessToken, refreshToken };
};
