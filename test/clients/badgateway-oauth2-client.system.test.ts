import { generateCodeVerifier, OAuth2Client, OAuth2Error, OAuth2Fetch } from '@badgateway/oauth2-client';
import { expect, test } from 'vitest';
import { authentications, startClientScene, type Authentication } from '../support/scenes/client-scene.ts';

const scene = await startClientScene();

/** Everything else it reads from the metadata (RFC 8414). */
const makeClient = async (authentication: Authentication, register = scene.register) => {
  const { clientId, clientSecret } = await register(authentication);
  const confidential = { clientSecret, authenticationMethod: authentication as 'client_secret_basic' };
  return new OAuth2Client({
    server: scene.issuer,
    clientId,
    ...(authentication !== 'none' && confidential),
  });
};

const begin = async (client: OAuth2Client, extraParams: Record<string, string> = {}) => {
  const [codeVerifier, state] = [await generateCodeVerifier(), await generateCodeVerifier()];
  const proof = { redirectUri: scene.redirectUri, state, codeVerifier };
  const scope = ['openid', 'profile', 'email', 'profiles:read'];
  return { proof, link: await client.authorizationCode.getAuthorizeUri({ ...proof, scope, extraParams }) };
};

test.each(authentications)(
  'MD-01, TK-12, RT-02, RV-05: @badgateway/oauth2-client gets, uses, refreshes and revokes (%s)',
  async (authentication) => {
    const client = await makeClient(authentication);
    const { proof, link } = await begin(client);
    const back = await scene.visit(link);
    const token = await client.authorizationCode.getTokenFromCodeRedirect(back.url, proof);
    expect(token.scope).toEqual(['openid', 'profile', 'email', 'profiles:read']);
    expect(token.idToken).toMatch(/^ey/);
    expect(await scene.namesWith(token.accessToken)).toEqual(['Ada Ahoi']);

    const refreshed = await client.refreshToken(token, { scope: ['profiles:read'] });
    expect(refreshed.scope).toEqual(['profiles:read']);
    expect(await scene.namesWith(refreshed.accessToken)).toEqual(['Ada Ahoi']);

    await client.revoke(refreshed, 'refresh_token');
    expect(await scene.namesWith(refreshed.accessToken)).toBe(401);
    await expect(client.refreshToken(refreshed)).rejects.toMatchObject({
      oauth2Code: 'invalid_grant',
      httpCode: 400,
    });
  },
);

test('AP-01: @badgateway/oauth2-client reads for which organization its tokens are', async () => {
  const client = await makeClient('client_secret_basic', scene.registerActive);
  const { proof, link } = await begin(client, { organization: scene.organizationId });
  const token = await client.authorizationCode.getTokenFromCodeRedirect((await scene.visit(link)).url, proof);
  const organization = { organization_id: scene.organizationId };
  expect(token.extraParams).toMatchObject(organization);
  expect((await client.refreshToken(token)).extraParams).toMatchObject(organization);
  expect(await client.introspect(token)).toMatchObject(organization);
});

test('IN-03, IN-04: a confidential add-on looks into its token, also after it gave it back', async () => {
  const client = await makeClient('client_secret_basic');
  const { proof, link } = await begin(client);
  const token = await client.authorizationCode.getTokenFromCodeRedirect((await scene.visit(link)).url, proof);
  expect(await client.introspect(token)).toMatchObject({ active: true, sub: scene.userId });
  await client.revoke(token);
  expect(await client.introspect(token)).toEqual({ active: false });
});

test('RT-02, RS-02: its fetch wrapper refreshes by itself when a list refuses the access token', async () => {
  const client = await makeClient('none');
  const { proof, link } = await begin(client);
  const first = await client.authorizationCode.getTokenFromCodeRedirect((await scene.visit(link)).url, proof);
  const stored: string[] = [];
  const wrapper = new OAuth2Fetch({
    client,
    getStoredToken: () => first,
    getNewToken: () => null,
    storeToken: ({ accessToken }) => void stored.push(accessToken),
    scheduleRefresh: false,
  });
  await client.revoke(first);
  const list = await wrapper.fetch(`${scene.issuer}/profiles`);
  expect(await list.json()).toMatchObject({ items: [{ name: 'Ada Ahoi' }] });
  expect(stored).toEqual([expect.not.stringContaining(first.accessToken)]);
});

test('AZ-39: a denial is its OAuth2Error', async () => {
  const client = await makeClient('none');
  const { proof, link } = await begin(client);
  const denied = (await scene.visit(link, 'Do not allow')).url;
  const redeemed = client.authorizationCode.getTokenFromCodeRedirect(denied, proof);
  await expect(redeemed).rejects.toThrow(OAuth2Error);
  await expect(redeemed).rejects.toMatchObject({ oauth2Code: 'access_denied' });
});
