import { createHash, randomBytes } from 'node:crypto';
import { AuthorizationCode, ClientCredentials } from 'simple-oauth2';
import { expect, test } from 'vitest';
import { authentications, startClientScene, type Authentication } from '../support/scenes/client-scene.ts';

const scene = await startClientScene();

/** Our paths are the library's defaults. `json`: it would take the empty answer to a revocation for an error. */
const makeClient = async (authentication: Authentication, register = scene.register) => {
  const { clientId, clientSecret } = await register(authentication);
  return new AuthorizationCode({
    client: { id: clientId, secret: clientSecret },
    auth: { tokenHost: scene.issuer },
    http: { json: true },
    options: { authorizationMethod: authentication === 'client_secret_post' ? 'body' : 'header' },
  });
};

/** PKCE and state are the application's: parameters in addition to the library's own. */
const begin = (client: AuthorizationCode) => {
  const codeVerifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const parameters = {
    redirect_uri: scene.redirectUri,
    scope: ['openid', 'profile', 'email', 'profiles:read'],
    state,
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  return { codeVerifier, state, link: client.authorizeURL(parameters) };
};

const proofOf = (code: string | null, codeVerifier: string) => ({
  code: code ?? '',
  redirect_uri: scene.redirectUri,
  code_verifier: codeVerifier,
});

test.each(authentications)(
  'TK-08, TK-12, RT-02, RV-05: simple-oauth2 gets, uses, refreshes and revokes its tokens (%s)',
  async (authentication) => {
    const client = await makeClient(authentication);
    const { codeVerifier, state, link } = begin(client);
    const back = (await scene.visit(link)).url.searchParams;
    expect([back.get('state'), back.get('iss')]).toEqual([state, scene.issuer]);

    const issued = await client.getToken(proofOf(back.get('code'), codeVerifier));
    expect(issued.token).toMatchObject({ token_type: 'Bearer', scope: 'openid profile email profiles:read' });
    expect([issued.expired(), issued.expired(3600)]).toEqual([false, true]);
    expect(await scene.namesWith(String(issued.token['access_token']))).toEqual(['Ada Ahoi']);

    const refreshed = await issued.refresh({ scope: 'profiles:read' });
    expect(refreshed.token['scope']).toBe('profiles:read');
    expect(await scene.namesWith(String(refreshed.token['access_token']))).toEqual(['Ada Ahoi']);

    await refreshed.revokeAll();
    expect(await scene.namesWith(String(refreshed.token['access_token']))).toBe(401);
    await expect(refreshed.refresh()).rejects.toMatchObject({
      output: { statusCode: 400 },
      data: { payload: { error: 'invalid_grant' } },
    });
  },
);

test('AP-01: simple-oauth2 reads for which organization its tokens are', async () => {
  const client = await makeClient('client_secret_basic', scene.registerActive);
  const { codeVerifier, link } = begin(client);
  const back = (await scene.visit(`${link}&organization=${scene.organizationId}`)).url.searchParams;
  const issued = await client.getToken(proofOf(back.get('code'), codeVerifier));
  for (const { token } of [issued, await issued.refresh()])
    expect(token).toMatchObject({ organization_id: scene.organizationId });
});

test('TC-04, TK-08: a wrong verifier and a wrong secret are the errors that simple-oauth2 throws', async () => {
  const client = await makeClient('client_secret_basic');
  const { code } = Object.fromEntries((await scene.visit(begin(client).link)).url.searchParams);
  await expect(client.getToken(proofOf(code ?? '', 'x'.repeat(43)))).rejects.toMatchObject({
    data: { payload: { error: 'invalid_grant' } },
  });
  const stranger = new AuthorizationCode({
    client: { id: (await scene.register('client_secret_basic')).clientId, secret: 'guessed' },
    auth: { tokenHost: scene.issuer },
  });
  await expect(stranger.getToken(proofOf('any', 'x'.repeat(43)))).rejects.toMatchObject({
    output: { statusCode: 401 },
    data: { payload: { error: 'invalid_client' } },
  });
});

test.each(['client_secret_basic', 'client_secret_post'] as const)(
  'SG-02: simple-oauth2 takes a token of the add-on itself (%s)',
  async (authentication) => {
    const { clientId, clientSecret } = await scene.register(authentication);
    const client = new ClientCredentials({
      client: { id: clientId, secret: clientSecret },
      auth: { tokenHost: scene.issuer },
      options: { authorizationMethod: authentication === 'client_secret_post' ? 'body' : 'header' },
    });
    const { token } = await client.getToken({ scope: 'ssf.read' });
    expect([token['scope'], token['expires_in'], token['refresh_token']]).toEqual([
      'ssf.read',
      3600,
      undefined,
    ]);
    expect(await scene.namesWith(String(token['access_token']))).toBe(403);
    await expect(client.getToken({ scope: 'profiles:read' })).rejects.toMatchObject({
      data: { payload: { error: 'invalid_scope' } },
    });
  },
);
