import * as oauth from 'oauth4webapi';
import { expect, test } from 'vitest';
import { authentications, startClientScene, type Authentication } from '../support/scenes/client-scene.ts';

const scene = await startClientScene();
/** This server has no TLS; nothing else is set. */
const insecure = { [oauth.allowInsecureRequests]: true } as const;
const issuer = new URL(scene.issuer);
const server = await oauth.processDiscoveryResponse(
  issuer,
  await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
);

const authenticate = {
  none: () => oauth.None(),
  client_secret_basic: oauth.ClientSecretBasic,
  client_secret_post: oauth.ClientSecretPost,
} satisfies Record<Authentication, (secret: string) => oauth.ClientAuth>;

const makeClient = async (authentication: Authentication, register = scene.register) => {
  const { clientId, clientSecret } = await register(authentication);
  return { client: { client_id: clientId }, auth: authenticate[authentication](clientSecret) };
};
type Client = Awaited<ReturnType<typeof makeClient>>;

const begin = async ({ client }: Client, scope = 'openid profile email profiles:read') => {
  const [verifier, state, nonce] = [
    oauth.generateRandomCodeVerifier(),
    oauth.generateRandomState(),
    oauth.generateRandomNonce(),
  ];
  const link = new URL(server.authorization_endpoint ?? '');
  link.search = new URLSearchParams({
    ...client,
    redirect_uri: scene.redirectUri,
    response_type: 'code',
    scope,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  return { link, verifier, state, nonce };
};
type Begun = Awaited<ReturnType<typeof begin>>;

const finish = async ({ client, auth }: Client, { verifier, state, nonce }: Begun, back: URL) => {
  const { redirectUri } = scene;
  const parameters = oauth.validateAuthResponse(server, client, back, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    auth,
    parameters,
    redirectUri,
    verifier,
    insecure,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
  });
  await oauth.validateApplicationLevelSignature(server, response, insecure);
  return tokens;
};

const obtain = async (client: Client, scope?: string) => {
  const begun = await begin(client, scope);
  return finish(client, begun, (await scene.visit(begun.link)).url);
};

const refresh = async ({ client, auth }: Client, token = '') =>
  oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, auth, token, insecure),
  );

const revoke = async ({ client, auth }: Client, token = '') =>
  oauth.processRevocationResponse(await oauth.revocationRequest(server, client, auth, token, insecure));

const list = (name: string, token: string) =>
  oauth.protectedResourceRequest(
    token,
    'GET',
    new URL(`${scene.issuer}/${name}`),
    new Headers(),
    null,
    insecure,
  );

test.each(authentications)(
  'MD-02, AZ-51, TK-12, ID-01, JW-01, UI-04, RT-02, RV-05: oauth4webapi goes all the way (%s)',
  async (authentication) => {
    const own = await makeClient(authentication);
    const tokens = await obtain(own);
    expect(tokens).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'openid profile email profiles:read',
    });
    const { sub } = oauth.getValidatedIdTokenClaims(tokens) ?? { sub: '' };

    const refreshed = await refresh(own, tokens.refresh_token);
    const userInfo = await oauth.userInfoRequest(server, own.client, refreshed.access_token, insecure);
    const person = await oauth.processUserInfoResponse(server, own.client, sub, userInfo);
    expect(person).toMatchObject({ sub: scene.userId, name: 'Ada Ahoi', email: scene.email });
    const answer = await list('profiles', refreshed.access_token);
    expect(await answer.json()).toMatchObject({ items: [{ name: 'Ada Ahoi' }], _links: [] });

    await revoke(own, refreshed.refresh_token);
    await expect(list('profiles', refreshed.access_token)).rejects.toMatchObject({
      status: 401,
      cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
    });
    await expect(refresh(own, refreshed.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
  },
);

test.each(['client_secret_basic', 'client_secret_post'] as const)(
  'IN-03, RV-01: oauth4webapi looks into a token, gives it back and finds it inactive (%s)',
  async (authentication) => {
    const own = await makeClient(authentication);
    const { access_token: token } = await obtain(own);
    const look = async () => {
      const asked = await oauth.introspectionRequest(server, own.client, own.auth, token, insecure);
      return oauth.processIntrospectionResponse(server, own.client, asked);
    };
    expect(await look()).toMatchObject({ active: true, ...own.client, iss: scene.issuer });
    expect(await revoke(own, token)).toBeUndefined();
    expect(await look()).toEqual({ active: false });
  },
);

test('AP-01: oauth4webapi reads for which organization its tokens are', async () => {
  const own = await makeClient('client_secret_basic', scene.registerActive);
  const begun = await begin(own);
  begun.link.searchParams.set('organization', scene.organizationId);
  const tokens = await finish(own, begun, (await scene.visit(begun.link)).url);
  const { access_token: token } = tokens;
  const organization = { organization_id: scene.organizationId };
  expect(tokens).toMatchObject(organization);
  expect(await refresh(own, tokens.refresh_token)).toMatchObject(organization);
  expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject(organization);
  const userInfo = await oauth.userInfoRequest(server, own.client, token, insecure);
  expect(await oauth.processUserInfoResponse(server, own.client, scene.userId, userInfo)).toMatchObject(
    organization,
  );
  const asked = await oauth.introspectionRequest(server, own.client, own.auth, token, insecure);
  expect(await oauth.processIntrospectionResponse(server, own.client, asked)).toMatchObject(organization);
});

test('LI-10: oauth4webapi reads the challenge of a refused token', async () => {
  const { access_token } = await obtain(await makeClient('none'), 'openid');
  await expect(list('access-rights', access_token)).rejects.toMatchObject({
    status: 403,
    cause: [{ scheme: 'bearer', parameters: { error: 'insufficient_scope', scope: 'access-rights:read' } }],
  });
});

test('AZ-39: a denial is its AuthorizationResponseError', async () => {
  const own = await makeClient('none');
  const begun = await begin(own);
  const denied = (await scene.visit(begun.link, 'Do not allow')).url;
  await expect(finish(own, begun, denied)).rejects.toThrow(oauth.AuthorizationResponseError);
  await expect(finish(own, begun, denied)).rejects.toMatchObject({ error: 'access_denied' });
});
