import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { afterAll, expect, test } from 'vitest';
import { account } from '../../../../src/http/account/plugin.ts';
import { authorize } from '../../../../src/http/oauth/authorize/plugin.ts';
import { discovery, logout } from '../../../../src/http/oauth/identity/plugin.ts';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { session } from '../../../../src/http/session/plugin.ts';
import { fetchThrough } from '../../../support/servers/fetch-through.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import { authorizeUrl, setScene, signedIn } from '../../../support/scenes/http-scene.ts';

/** An add-on whose id_tokens are signed by ES256, seen by libraries that know nothing of our code. */
const baseUrl = 'http://grantbook.test';
const redirectUri = 'https://addon.example/callback';
const out = 'https://addon.example/out';
const http = await startPlugins([account, authorize, discovery, logout, session, tokenEndpoints], {
  config: { baseUrl },
});
const scene = await setScene(http, {
  allowedScopes: ['openid', 'profiles:read'],
  redirectUris: [redirectUri],
  postLogoutRedirectUris: [out],
  idTokenAlg: 'ES256',
});
afterAll(() => http.close());

const discover = async () => {
  const config = await client.discovery(
    new URL(baseUrl),
    scene.clientId,
    { id_token_signed_response_alg: 'ES256' },
    client.None(),
    { execute: [client.allowInsecureRequests], [client.customFetch]: fetchThrough(http, baseUrl) },
  );
  client.enableNonRepudiationChecks(config); // checks the signature too, with the keys of jwks_uri
  return config;
};

const signIn = async (config: client.Configuration) => {
  const [verifier, state] = [client.randomPKCECodeVerifier(), client.randomState()];
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid profiles:read',
    state,
    prompt: 'consent',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const browser = await signedIn(http, scene);
  const page = await browser.get(address.pathname + address.search);
  const back = await browser.press(page, 'Allow', { subject: 'user' });
  const checks = { pkceCodeVerifier: verifier, expectedState: state, idTokenExpected: true };
  const tokens = await client.authorizationCodeGrant(config, new URL(String(back.headers.location)), checks);
  return { browser, tokens };
};

test('ID-01, MD-04: openid-client finds ES256 offered, and checks the id_token and that of a refresh', async () => {
  const config = await discover();
  expect(config.serverMetadata().id_token_signing_alg_values_supported).toEqual(['RS256', 'ES256']);
  const { tokens } = await signIn(config);
  expect(tokens.claims()).toMatchObject({ iss: baseUrl, aud: scene.clientId, sub: scene.userId });
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
  for (const { id_token = '' } of [tokens, refreshed]) {
    const jwks = createRemoteJWKSet(new URL(`${baseUrl}/oauth/jwks`), {
      [customFetch]: fetchThrough(http, baseUrl),
    });
    const { protectedHeader } = await jwtVerify(id_token, jwks, {
      algorithms: ['ES256'],
      issuer: baseUrl,
      audience: scene.clientId,
    });
    expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'JWT' });
  }
});

test('AZ-21: such an id_token is a hint like any other, to authorize and to sign out', async () => {
  const config = await discover();
  const { browser, tokens } = await signIn(config);
  const hint = { redirect_uri: redirectUri, id_token_hint: tokens.id_token ?? '' };
  const silent = await browser.get(authorizeUrl(scene, { ...hint, scope: 'openid', prompt: 'none' }));
  expect(silent.headers.location).toMatch(/^https:\/\/addon\.example\/callback\?code=/);
  const end = client.buildEndSessionUrl(config, {
    id_token_hint: tokens.id_token ?? '',
    post_logout_redirect_uri: out,
    state: 'bye',
  });
  expect(end.pathname).toBe('/oauth/logout');
  const left = await browser.get(end.pathname + end.search);
  expect([left.statusCode, left.headers.location]).toEqual([303, `${out}?state=bye`]);
  expect((await browser.get('/account')).statusCode).toBe(303);
});
