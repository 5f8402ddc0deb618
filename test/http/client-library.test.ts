import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchThrough } from '../support/fetch-through.ts';
import { startHttpApp, type HttpApp } from '../support/http-app.ts';
import { obtainTokens, password, redirectUri, setScene, type Scene } from '../support/http-scene.ts';
import { testBrowser } from '../support/pages.ts';
import { obtainTokensOf } from '../support/presented-tokens.ts';

/** What the library reads of an answer, and it must find itself: nothing here knows our field names. */
let http: HttpApp;
let scene: Scene;
let server: oauth.AuthorizationServer;
const baseUrl = 'http://grantbook.test';
beforeAll(async () => {
  http = await startHttpApp({ config: { baseUrl } });
  scene = await setScene(http, { confidential: true });
  const issuer = new URL(baseUrl);
  const options = {
    algorithm: 'oauth2',
    [oauth.customFetch]: fetching,
    [oauth.allowInsecureRequests]: true,
  } as const;
  server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
});
afterAll(() => http.close());

const fetching = (...sent: Parameters<ReturnType<typeof fetchThrough>>) =>
  fetchThrough(http, baseUrl)(...sent);
const insecure = { [oauth.customFetch]: fetching, [oauth.allowInsecureRequests]: true } as const;

test.each(['Basic', 'Post'] as const)(
  'MD-02, AZ-51: a published library discovers, exchanges and refreshes (%s)',
  async (by) => {
    const client = { client_id: scene.clientId };
    const secret = scene.clientSecret ?? '';
    const authenticate = by === 'Basic' ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret);
    const verifier = oauth.generateRandomCodeVerifier();
    const state = oauth.generateRandomState();
    const request = new URL(server.authorization_endpoint ?? '');
    request.search = new URLSearchParams({
      ...client,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'profiles:read',
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      prompt: 'consent',
    }).toString();
    const browser = testBrowser(http.app);
    await browser.signIn(scene.email, password);
    const back = await browser.press(await browser.get(request.pathname + request.search), 'Allow');
    const parameters = oauth.validateAuthResponse(
      server,
      client,
      new URL(String(back.headers.location)),
      state,
    );
    const exchanged = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authenticate,
        parameters,
        redirectUri,
        verifier,
        insecure,
      ),
    );
    expect(exchanged).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'profiles:read' });
    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(
        server,
        client,
        authenticate,
        exchanged.refresh_token ?? '',
        insecure,
      ),
    );
    const list = new URL(`${baseUrl}/profiles`);
    const answer = await oauth.protectedResourceRequest(
      refreshed.access_token,
      'GET',
      list,
      new Headers(),
      null,
      insecure,
    );
    expect(await answer.json()).toMatchObject({ items: [], _links: [] });
  },
);

test('LI-10: the library reads the challenge of a refused token', async () => {
  const other = await setScene(http);
  const { access_token } = await obtainTokens(http, other, {
    subject: 'user',
    change: { scope: 'profiles:read' },
  });
  const url = new URL(`${baseUrl}/access-rights`);
  const refused = oauth.protectedResourceRequest(access_token, 'GET', url, new Headers(), null, insecure);
  await expect(refused).rejects.toMatchObject({
    status: 403,
    cause: [{ scheme: 'bearer', parameters: { error: 'insufficient_scope', scope: 'access-rights:read' } }],
  });
});

test.each(['Basic', 'Post'] as const)(
  'IN-03, RV-01: a published library looks into a token, gives it back and finds it inactive (%s)',
  async (by) => {
    const client = { client_id: scene.clientId };
    const secret = scene.clientSecret ?? '';
    const authenticate = by === 'Basic' ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret);
    const { access_token: token } = await obtainTokensOf(http, scene, { subject: 'user' });
    const look = async () =>
      oauth.processIntrospectionResponse(
        server,
        client,
        await oauth.introspectionRequest(server, client, authenticate, token, insecure),
      );
    expect(await look()).toMatchObject({ active: true, client_id: scene.clientId, iss: baseUrl });
    const revoked = await oauth.revocationRequest(server, client, authenticate, token, insecure);
    expect(await oauth.processRevocationResponse(revoked)).toBeUndefined();
    expect(await look()).toEqual({ active: false });
  },
);
