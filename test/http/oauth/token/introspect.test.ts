import { afterAll, describe, expect, test } from 'vitest';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import {
  activate,
  deactivate,
  obtainCode,
  setScene,
  type Tokens,
} from '../../../support/scenes/http-scene.ts';
import {
  basic,
  obtainTokensOf,
  present,
  presentAs,
  refreshOf,
} from '../../../support/scenes/presented-tokens.ts';

const asUser = { subject: 'user' };

const http = await startPlugins([tokenEndpoints], { config: { issuer: 'https://market.example/a' } });
const scene = await setScene(http, { confidential: true });
const other = await setScene(http, { confidential: true });
const open = await setScene(http);
const tokens = await obtainTokensOf(http, scene, asUser);
afterAll(() => http.close());

const introspect = (token: string, by = scene, more: Readonly<Record<string, string>> = {}) =>
  presentAs(http, '/oauth/introspect', by, { token, ...more });

const answered = async (token: string, by = scene) => {
  const { statusCode, body } = await introspect(token, by);
  return `${statusCode} ${body}`;
};

/** Exactly this, so that nothing is learned about a token that opens nothing. */
const inactive = '200 {"active":false}';

describe('who calls', () => {
  test('IN-01: nobody, a wrong secret and a public add-on are 401 with WWW-Authenticate', async () => {
    const post = (fields: Record<string, string>, headers = {}) =>
      present(http.app, '/oauth/introspect', { token: tokens.access_token, ...fields }, headers);
    const answers = await Promise.all([
      post({}),
      post({ client_id: scene.clientId }),
      post({ client_id: scene.clientId, client_secret: 'x' }),
      post({}, basic(scene.clientId, 'x')),
      post({}, { authorization: `Bearer ${tokens.access_token}` }),
      post({ client_id: open.clientId }),
      post({}, basic(open.clientId, '')),
      post({ client_id: '01JZZZZZZZZZZZZZZZZZZZZZZX' }),
    ]);
    for (const answer of answers) {
      expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client']);
      expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/);
    }
  });

  test('IN-01: a confidential add-on may prove itself in the body', async () => {
    const { clientId: client_id, clientSecret } = scene;
    const fields = { token: tokens.access_token, client_id, client_secret: clientSecret ?? '' };
    expect((await present(http.app, '/oauth/introspect', fields)).json().active).toBe(true);
  });

  test('IN-05: to another add-on the token is inactive', async () => {
    expect(await answered(tokens.access_token, other)).toBe(inactive);
    expect(await answered(tokens.refresh_token, other)).toBe(inactive);
  });
});

describe('the request', () => {
  test('IN-06: GET is 405, and no answer may be kept', async () => {
    const get = await http.app.inject({ method: 'GET', url: '/oauth/introspect?token=x' });
    expect([get.statusCode, get.headers.allow]).toEqual([405, 'POST']);
    for (const answer of [get, await introspect('x'), await introspect(tokens.access_token)]) {
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
      expect(answer.headers['content-type']).toContain('application/json');
    }
  });

  test('without a token, or with two, is invalid_request', async () => {
    const none = await presentAs(http, '/oauth/introspect', scene, {});
    expect([none.statusCode, none.json().error_description]).toEqual([400, 'token is missing']);
    const twice = await http.app.inject({
      method: 'POST',
      url: '/oauth/introspect',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...basic(scene.clientId, scene.clientSecret ?? ''),
      },
      payload: 'token=x&token=y',
    });
    expect([twice.statusCode, twice.json().error]).toEqual([400, 'invalid_request']);
  });

  test.each(['access_token', 'refresh_token', 'nonsense'])(
    'IN-06: the hint %s makes no difference',
    async (token_type_hint) => {
      for (const token of [tokens.access_token, tokens.refresh_token])
        expect((await introspect(token, scene, { token_type_hint })).json().active).toBe(true);
    },
  );

  test('RS-02: while the fence cannot be trusted, nothing is active and nothing inactive: 503', async () => {
    http.setTrusted(false);
    const answer = await introspect(tokens.access_token);
    http.setTrusted(true);
    expect([answer.statusCode, answer.json().error]).toEqual([503, 'temporarily_unavailable']);
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
  });
});

describe('an active token', () => {
  const common = () => ({
    active: true,
    scope: 'profiles:read reservations:read access-rights:read',
    client_id: scene.clientId,
    sub: scene.userId,
    aud: http.baseUrl,
    iss: 'https://market.example/a',
    exp: expect.any(Number) as number,
    iat: expect.any(Number) as number,
    jti: expect.any(String) as string,
    grant_id: expect.any(String) as string,
    grant_epoch: 0,
  });

  test('IN-03: is described with the fields of RFC 7662, an access token as Bearer, a refresh token as one', async () => {
    const access = (await introspect(tokens.access_token)).json();
    const refresh = (await introspect(tokens.refresh_token)).json();
    expect(access).toEqual({ ...common(), token_type: 'Bearer' });
    expect(refresh).toEqual({ ...common(), token_type: 'refresh_token' });
    expect(access.exp - access.iat).toBe(3600);
    expect(refresh.exp - refresh.iat).toBe(30 * 86_400);
    expect(access.jti).toBe(`access.${access.grant_id}.0`);
    expect(refresh.jti).toBe(`refresh.${access.grant_id}.0`);
    expect(JSON.stringify([access, refresh])).not.toMatch(/mkt_(at|rt|cs)_/);
  });

  test('IN-03, IN-04: names the organization, and is inactive as soon as that has deactivated the add-on', async () => {
    const one = await setScene(http, { confidential: true });
    await activate(http, one);
    const { organizationId, userId } = one;
    const organizations = await obtainTokensOf(http, one, { subject: `organization:${organizationId}` });
    expect((await introspect(organizations.access_token, one)).json()).toMatchObject({
      active: true,
      org_id: organizationId,
      grant_epoch: 1,
      sub: userId,
    });
    await deactivate(http, one);
    expect(await answered(organizations.access_token, one)).toBe(inactive);
    expect(await answered(organizations.refresh_token, one)).toBe(inactive);
  });
});

describe('an inactive token', () => {
  test('IN-02, IN-04: unknown, forged, a code', async () => {
    const code = await obtainCode(http, scene, asUser);
    const forged = `${tokens.access_token.slice(0, -8)}AAAAAAAA`;
    for (const token of ['x', 'mkt_at_', forged, code, 'x'.repeat(5000)])
      expect(await answered(token)).toBe(inactive);
  });

  test('IN-04, IN-07, RV-06: superseded, or revoked a moment ago', async () => {
    const first = await obtainTokensOf(http, scene, asUser);
    const second = (await refreshOf(http, scene, first.refresh_token)).json<Tokens>();
    expect(await answered(first.refresh_token)).toBe(inactive);
    expect((await introspect(first.access_token)).json().active).toBe(true);
    await presentAs(http, '/oauth/revoke', scene, { token: first.access_token });
    expect(await answered(first.access_token)).toBe(inactive);
    expect((await introspect(second.access_token)).json().active).toBe(true);
    await presentAs(http, '/oauth/revoke', scene, { token: second.refresh_token });
    expect(await answered(second.access_token)).toBe(inactive);
    expect(await answered(second.refresh_token)).toBe(inactive);
  });
});
