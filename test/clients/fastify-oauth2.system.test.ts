import fastifyOauth2 from '@fastify/oauth2';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { authentications, startClientScene, type Authentication } from '../support/scenes/client-scene.ts';

const scene = await startClientScene();

/** An add-on with the plugin as its README has it; the endpoints come from the metadata. */
const startAddon = async (authentication: Authentication, organization?: string) => {
  const register = organization ? scene.registerActive : scene.register;
  const { clientId, clientSecret } = await register(authentication, {
    redirectUris: ['http://127.0.0.1/login/callback'], // any port of it (RFC 8252 §7.3)
  });
  const addon = fastify();
  const tokens: fastifyOauth2.Token[] = [];
  const errors: unknown[] = [];
  addon.addHook('onError', (_request, _reply, error, done) => {
    errors.push(error);
    done();
  });
  await addon.register(fastifyOauth2, {
    name: 'oauth2Grantbook',
    scope: ['openid', 'profile', 'email', 'profiles:read'],
    credentials: {
      client: { id: clientId, secret: clientSecret },
      // It is simple-oauth2 inside, which would take the empty answer to a revocation for an error.
      http: { json: true },
      options: { authorizationMethod: authentication === 'client_secret_post' ? 'body' : 'header' },
    },
    startRedirectPath: '/login',
    callbackUri: ({ protocol, host }) => `${protocol}://${host}/login/callback`,
    discovery: { issuer: scene.issuer },
    pkce: 'S256',
    ...(organization && { callbackUriParams: { organization } }),
  });
  const { oauth2Grantbook: oauth2 } = addon;
  if (!oauth2) throw new Error('the plugin is not there');
  addon.get('/login/callback', async (request, reply) => {
    const { token } = await oauth2.getAccessTokenFromAuthorizationCodeFlow(request, reply);
    tokens.push(token);
    return oauth2.userinfo(token);
  });
  const address = await addon.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => addon.close());
  return { address, login: `${address}/login`, oauth2, tokens, errors };
};

test.each(authentications)(
  'MD-01, TK-08, UI-04, RT-02, RV-05: @fastify/oauth2 signs in, refreshes and revokes (%s)',
  async (authentication) => {
    const { login, oauth2, tokens } = await startAddon(authentication);
    const signedIn = await scene.visit(login);
    const person = { sub: scene.userId, name: 'Ada Ahoi', email: scene.email };
    expect(JSON.parse(signedIn.html)).toMatchObject(person);
    const [first] = tokens;
    if (!first) throw new Error('no token');
    expect(await scene.namesWith(first.access_token)).toEqual(['Ada Ahoi']);

    const { token } = await oauth2.getNewAccessTokenUsingRefreshToken(first, {});
    expect(token.refresh_token).not.toBe(first.refresh_token);
    expect(await oauth2.userinfo(token, { method: 'POST', via: 'body' })).toMatchObject(person);

    await oauth2.revokeToken(token, 'refresh_token', undefined);
    expect(await scene.namesWith(token.access_token)).toBe(401);
    await expect(oauth2.getNewAccessTokenUsingRefreshToken(token, {})).rejects.toMatchObject({
      data: { payload: { error: 'invalid_grant' } },
    });
  },
);

test('AP-01: @fastify/oauth2 reads for which organization its tokens are', async () => {
  const { login, oauth2, tokens } = await startAddon('client_secret_basic', scene.organizationId);
  const organization = { organization_id: scene.organizationId };
  expect(JSON.parse((await scene.visit(login)).html), 'userinfo').toMatchObject(organization);
  const [first] = tokens;
  if (!first) throw new Error('no token');
  expect(first).toMatchObject(organization);
  const { token } = await oauth2.getNewAccessTokenUsingRefreshToken(first, {});
  expect(token).toMatchObject(organization);
});

test('AZ-39, TC-01: it does not look at a denial, and asks for tokens without a code', async () => {
  const { login, tokens, errors } = await startAddon('none');
  const denied = await scene.visit(login, 'Do not allow');
  expect(denied.url.searchParams.get('error')).toBe('access_denied');
  expect(errors).toMatchObject([{ data: { payload: { error: 'invalid_request' } } }]);
  expect(tokens).toEqual([]);
});
