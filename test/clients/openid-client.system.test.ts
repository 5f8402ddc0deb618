import * as client from 'openid-client';
import { expect, test } from 'vitest';
import { makeBrowser } from '../../demo/browser.ts';
import type { RegisterAddon } from '../../src/commands/addons/register-addon.ts';
import { authentications, startClientScene, type Authentication } from '../support/scenes/client-scene.ts';
import { beginAuthorization } from '../support/scenes/begin-authorization.ts';

const scene = await startClientScene();

const authenticate = {
  none: () => client.None(),
  client_secret_basic: client.ClientSecretBasic,
  client_secret_post: client.ClientSecretPost,
} satisfies Record<Authentication, (secret: string) => client.ClientAuth>;

/** `allowInsecureRequests` because this server has no TLS; nothing else is set. */
const discover = async (
  authentication: Authentication,
  addon: Partial<RegisterAddon> = {},
  metadata: Partial<client.ClientMetadata> = {},
) => {
  const { clientId, clientSecret } = await scene.register(authentication, addon);
  const config = await client.discovery(
    new URL(scene.issuer),
    clientId,
    metadata,
    authenticate[authentication](clientSecret),
    { execute: [client.allowInsecureRequests] },
  );
  client.enableNonRepudiationChecks(config); // checks the signature of the id_token too, with the keys of jwks_uri
  return config;
};

const begin = async (config: client.Configuration) => {
  const scope = 'openid profile email profiles:read';
  const asked = { redirect_uri: scene.redirectUri, scope, max_age: '3600' };
  const { checks, link } = await beginAuthorization(config, asked);
  return { checks: { ...checks, maxAge: 3600 }, link };
};

test.each(authentications)(
  'MD-01, AZ-51, TK-12, ID-01, JW-01, UI-04, RT-14, RV-05: openid-client goes all the way (%s)',
  async (authentication) => {
    const config = await discover(authentication);
    const { checks, link } = await begin(config);
    const tokens = await client.authorizationCodeGrant(config, (await scene.visit(link)).url, checks);
    expect(tokens.claims()).toMatchObject({
      iss: scene.issuer,
      aud: config.clientMetadata().client_id,
      sub: scene.userId,
      nonce: checks.expectedNonce,
      auth_time: expect.any(Number) as number,
    });

    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.claims()).toMatchObject({ sub: scene.userId, auth_time: tokens.claims()?.auth_time });
    const person = await client.fetchUserInfo(config, refreshed.access_token, scene.userId);
    expect(person).toMatchObject({ sub: scene.userId, name: 'Ada Ahoi', email: scene.email });
    const profiles = new URL(`${scene.issuer}/profiles`);
    const list = () => client.fetchProtectedResource(config, refreshed.access_token, profiles, 'GET');
    expect(await (await list()).json()).toMatchObject({ items: [{ name: 'Ada Ahoi' }] });

    await client.tokenRevocation(config, refreshed.refresh_token ?? '');
    await expect(list()).rejects.toMatchObject({
      code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
      cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
    });
    await expect(client.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  },
);

test('AP-01, AP-02, AP-03: openid-client asks for an organization, and learns for whom its token is', async () => {
  const config = await discover('client_secret_basic', { configurationUrl: `${scene.redirectUri}/setup` });
  const { client_id: addonId } = config.clientMetadata();
  const { organizationId, userId } = scene;
  const act = { organizationId, addonId, by: userId, sessionId: null };
  expect(await scene.http.commands.activateAddon(act)).toMatchObject({ ok: true });
  const { checks, link } = await begin(config);
  link.searchParams.set('organization', organizationId);
  const tokens = await client.authorizationCodeGrant(config, (await scene.visit(link)).url, checks);
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
  const { access_token: token } = refreshed;
  const organization = { organization_id: organizationId };
  for (const answer of [tokens, refreshed]) {
    expect(answer).toMatchObject(organization);
    expect(answer.claims()).toMatchObject(organization);
  }
  const grant = await client.fetchProtectedResource(config, token, new URL(`${scene.issuer}/grant`), 'GET');
  const { subject } = (await grant.json()) as { subject: { name: string } };
  expect(subject).toMatchObject({ type: 'organization', id: organizationId });
  const named = { ...organization, organization_name: subject.name };
  expect(await client.fetchUserInfo(config, token, userId)).toMatchObject(named);
  expect(await client.tokenIntrospection(config, token)).toMatchObject(named);

  link.searchParams.set('organization', 'external:nobody');
  const browser = makeBrowser();
  const page = await browser.open(link.href);
  const back = `Back to ${new URL(scene.redirectUri).host}`;
  const { url: denied } = await scene.answer(browser, page, back);
  await expect(client.authorizationCodeGrant(config, denied, checks)).rejects.toMatchObject({
    error: 'access_denied',
  });
});

test('IN-03, IN-04: openid-client looks into a token, gives it back and finds it inactive', async () => {
  const config = await discover('client_secret_basic');
  const { checks, link } = await begin(config);
  const { access_token: token } = await client.authorizationCodeGrant(
    config,
    (await scene.visit(link)).url,
    checks,
  );
  expect(await client.tokenIntrospection(config, token)).toMatchObject({ active: true, iss: scene.issuer });
  await client.tokenRevocation(config, token);
  expect(await client.tokenIntrospection(config, token)).toEqual({ active: false });
});

test('JW-01, ID-01: openid-client checks an id_token by ES256, for an add-on that is registered for it', async () => {
  const alg = 'ES256';
  const config = await discover('none', { idTokenAlg: alg }, { id_token_signed_response_alg: alg });
  const { checks, link } = await begin(config);
  const tokens = await client.authorizationCodeGrant(config, (await scene.visit(link)).url, checks);
  expect(tokens.claims()).toMatchObject({ iss: scene.issuer, sub: scene.userId });
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
  expect(refreshed.claims()).toMatchObject({ sub: scene.userId });
});

test('RT-17: openid-client sends the person to sign out and gets them back; what was granted lives on', async () => {
  const { redirectUri } = scene;
  const config = await discover('none', { postLogoutRedirectUris: [redirectUri] });
  const { checks, link } = await begin(config);
  const browser = makeBrowser();
  const tokens = await client.authorizationCodeGrant(
    config,
    (await scene.visit(link, 'Allow', browser)).url,
    checks,
  );
  const signOut = client.buildEndSessionUrl(config, {
    id_token_hint: tokens.id_token ?? '',
    post_logout_redirect_uri: redirectUri,
    state: 'bye',
  });
  expect((await browser.open(signOut.href)).url.href).toBe(`${redirectUri}?state=bye`);
  const asked = await browser.open(link.href);
  expect(asked.html).toContain('type="password"');
  expect(await scene.namesWith(tokens.access_token)).toEqual(['Ada Ahoi']);
});

test('AZ-39: a denial is its AuthorizationResponseError', async () => {
  const config = await discover('none');
  const { checks, link } = await begin(config);
  const denied = (await scene.visit(link, 'Do not allow')).url;
  const redeem = (url: URL) => client.authorizationCodeGrant(config, url, checks);
  await expect(redeem(denied)).rejects.toThrow(client.AuthorizationResponseError);
  await expect(redeem(denied)).rejects.toMatchObject({ error: 'access_denied' });
});

test.each(['client_secret_basic', 'client_secret_post'] as const)(
  'SG-02: openid-client takes a token of the add-on itself, introspects it and revokes it (%s)',
  async (authentication) => {
    const config = await discover(authentication);
    const tokens = await client.clientCredentialsGrant(config, { scope: 'ssf.read ssf.manage' });
    expect([tokens.token_type, tokens.expires_in, tokens.scope]).toEqual([
      'bearer',
      3600,
      'ssf.read ssf.manage',
    ]);
    expect(tokens).not.toHaveProperty('refresh_token');
    expect(tokens).not.toHaveProperty('id_token');
    expect(await scene.namesWith(tokens.access_token)).toBe(403);
    expect((await client.tokenIntrospection(config, tokens.access_token)).active).toBe(true);
    await client.tokenRevocation(config, tokens.access_token);
    expect((await client.tokenIntrospection(config, tokens.access_token)).active).toBe(false);
    expect(await scene.namesWith(tokens.access_token)).toBe(401);
    await expect(client.clientCredentialsGrant(config, { scope: 'openid' })).rejects.toMatchObject({
      error: 'invalid_scope',
    });
  },
);

test('SG-02: a public add-on gets unauthorized_client from openid-client, for it has no secret', async () => {
  const config = await discover('none');
  await expect(client.clientCredentialsGrant(config)).rejects.toMatchObject({ error: 'unauthorized_client' });
});
