import * as arctic from 'arctic';
import { expect, test } from 'vitest';
import { startClientScene, type Authentication } from '../support/scenes/client-scene.ts';

const scene = await startClientScene();

const endpoint = (name: 'authorize' | 'token' | 'revoke') => `${scene.issuer}/oauth/${name}`;
const scopes = ['openid', 'profile', 'email', 'profiles:read'];

/** A public client is one whose password is null. */
const makeClient = async (authentication: Authentication, register = scene.register) => {
  const { clientId, clientSecret } = await register(authentication);
  return new arctic.OAuth2Client(clientId, clientSecret || null, scene.redirectUri);
};

const begin = (client: arctic.OAuth2Client) => {
  const [state, codeVerifier] = [arctic.generateState(), arctic.generateCodeVerifier()];
  const { S256 } = arctic.CodeChallengeMethod;
  const link = client.createAuthorizationURLWithPKCE(
    endpoint('authorize'),
    state,
    S256,
    codeVerifier,
    scopes,
  );
  return { state, codeVerifier, link };
};

// Its generic client knows no client_secret_post.
test.each(['none', 'client_secret_basic'] as const)(
  'TK-12, ID-01, RT-02, RV-05: arctic gets, uses, refreshes and revokes its tokens (%s)',
  async (authentication) => {
    const client = await makeClient(authentication);
    const { state, codeVerifier, link } = begin(client);
    const back = (await scene.visit(link)).url.searchParams;
    expect(back.get('state')).toBe(state);

    const code = back.get('code') ?? '';
    const tokens = await client.validateAuthorizationCode(endpoint('token'), code, codeVerifier);
    expect([tokens.tokenType(), tokens.scopes()]).toEqual(['Bearer', scopes]);
    expect(tokens.accessTokenExpiresInSeconds()).toBe(3600);
    expect(arctic.decodeIdToken(tokens.idToken())).toMatchObject({ iss: scene.issuer, sub: scene.userId });
    expect(await scene.namesWith(tokens.accessToken())).toEqual(['Ada Ahoi']);

    const refreshed = await client.refreshAccessToken(endpoint('token'), tokens.refreshToken(), []);
    expect(refreshed.refreshToken()).not.toBe(tokens.refreshToken());
    expect(await scene.namesWith(refreshed.accessToken())).toEqual(['Ada Ahoi']);

    await client.revokeToken(endpoint('revoke'), refreshed.refreshToken());
    expect(await scene.namesWith(refreshed.accessToken())).toBe(401);
    await expect(
      client.refreshAccessToken(endpoint('token'), refreshed.refreshToken(), []),
    ).rejects.toMatchObject({ code: 'invalid_grant' });
  },
);

test('AP-01: arctic reads for which organization its tokens are', async () => {
  const client = await makeClient('none', scene.registerActive);
  const { codeVerifier, link } = begin(client);
  link.searchParams.set('organization', scene.organizationId);
  const code = (await scene.visit(link)).url.searchParams.get('code') ?? '';
  const tokens = await client.validateAuthorizationCode(endpoint('token'), code, codeVerifier);
  const organization = { organization_id: scene.organizationId };
  expect(tokens.data).toMatchObject(organization);
  expect(arctic.decodeIdToken(tokens.idToken())).toMatchObject(organization);
  const refreshed = await client.refreshAccessToken(endpoint('token'), tokens.refreshToken(), []);
  expect(refreshed.data).toMatchObject(organization);
});

test('AZ-39, TC-04: a denial comes back without a code; a wrong verifier is an OAuth2RequestError', async () => {
  const client = await makeClient('none');
  const { link, state } = begin(client);
  const denied = (await scene.visit(link, 'Do not allow')).url.searchParams;
  expect([denied.get('error'), denied.get('state'), denied.get('code')]).toEqual([
    'access_denied',
    state,
    null,
  ]);
  const code = (await scene.visit(link)).url.searchParams.get('code') ?? '';
  const wrong = client.validateAuthorizationCode(endpoint('token'), code, arctic.generateCodeVerifier());
  await expect(wrong).rejects.toThrow(arctic.OAuth2RequestError);
  await expect(wrong).rejects.toMatchObject({ code: 'invalid_grant' });
});
