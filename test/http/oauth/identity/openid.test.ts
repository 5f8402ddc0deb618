import { createRemoteJWKSet, customFetch, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import type { VouchedBy } from '../../../../src/domain/people/account.ts';
import { accountStream } from '../../../../src/domain/streams.ts';
import { fetchThrough } from '../../../support/servers/fetch-through.ts';
import { startHttpApp } from '../../../support/scenes/http-app.ts';
import {
  authorizeUrl,
  createUser,
  obtainCode,
  obtainTokens,
  exchange,
  password,
  postToken,
  refreshWith,
  returned,
  setScene,
  signedIn,
  type Scene,
} from '../../../support/scenes/http-scene.ts';

const baseUrl = 'http://grantbook.test';
const http = await startHttpApp({ config: { baseUrl } });
const scene = await setScene(http, { allowedScopes: ['openid', 'profiles:read'] });
afterAll(() => http.close());

const user = { subject: 'user' };
const asked = { ...user, change: { scope: 'openid profile email profiles:read', nonce: 'n-0S6_WzA2Mj' } };

describe('the id_token', () => {
  type Answer = { readonly id_token: string; readonly refresh_token: string; readonly scope: string };

  test('ID-01: says who signed in, when, for whom, and is signed with RS256', async () => {
    const { id_token } = (await obtainTokens(http, scene, asked)) as unknown as Answer;
    const { kid, alg } = decodeProtectedHeader(id_token);
    expect(alg).toBe('RS256');
    const keys = createRemoteJWKSet(new URL(`${baseUrl}/oauth/jwks`), {
      [customFetch]: fetchThrough(http, baseUrl),
    });
    const { payload } = await jwtVerify(id_token, keys, { issuer: baseUrl, audience: scene.clientId });
    expect(Object.keys(payload).sort().join(' ')).toBe('amr at_hash aud auth_time exp iat iss nonce sub');
    expect(payload['amr'], 'FX-24: how the user signed in (RFC 8176)').toEqual(['pwd']);
    expect(payload).toMatchObject({ sub: scene.userId, nonce: asked.change.nonce });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(3600);
    expect(Number(payload['auth_time'])).toBeLessThanOrEqual(Number(payload.iat));
    const { keys: published } = (await http.app.inject('/oauth/jwks')).json<{ keys: { kid: string }[] }>();
    expect(published.map((key) => key.kid)).toContain(kid);
  });

  test('TK-12: is in the answer only when openid was granted', async () => {
    const code = await obtainCode(http, scene, { ...user, change: { scope: 'profiles:read', nonce: 'n' } });
    const tokens = (await exchange(http, scene, code)).json<Answer>();
    expect(tokens).not.toHaveProperty('id_token');
    expect((await refreshWith(http, scene, tokens.refresh_token)).json()).not.toHaveProperty('id_token');
  });

  test('RT-14: a refresh keeps iss, sub, aud and auth_time, has a new iat and no nonce', async () => {
    const first = (await obtainTokens(http, scene, asked)) as unknown as Answer;
    http.advance(90_000);
    const second = (await refreshWith(http, scene, first.refresh_token)).json<Answer>();
    const [before, after] = [decodeJwt(first.id_token), decodeJwt(second.id_token)];
    for (const claim of ['iss', 'sub', 'aud', 'auth_time']) expect(after[claim]).toEqual(before[claim]);
    expect(Number(after.iat)).toBeGreaterThanOrEqual(Number(before.iat) + 90);
    expect(after).not.toHaveProperty('nonce');
  });

  test('RT-09: a refresh that leaves openid out gets none, and the next full one gets one again', async () => {
    const first = (await obtainTokens(http, scene, asked)) as unknown as Answer;
    const ask = { grant_type: 'refresh_token', client_id: scene.clientId };
    const narrow = { ...ask, refresh_token: first.refresh_token, scope: 'profiles:read' };
    const second = (await postToken(http.app, narrow)).json<Answer>();
    expect(second.scope).toBe('profiles:read');
    expect(second).not.toHaveProperty('id_token');
    const third = await postToken(http.app, { ...ask, refresh_token: second.refresh_token });
    expect(third.json()).toHaveProperty('id_token');
  });
});

describe('id_token_hint', () => {
  const idTokenOf = async (by: Scene = scene) => {
    const tokens = await obtainTokens(http, by, asked);
    return (tokens as unknown as { readonly id_token: string }).id_token;
  };
  const authorize = async (email: string, hint: string, prompt?: string) => {
    const browser = await signedIn(http, { email });
    const change = { ...asked.change, id_token_hint: hint, prompt };
    return { browser, page: await browser.get(authorizeUrl(scene, change)) };
  };
  const errorOf = (answer: Awaited<ReturnType<typeof authorize>>['page']) => returned(answer)['error'];

  test('AZ-21: what is no id_token of ours for this add-on is invalid_request', async () => {
    const other = await setScene(http, { allowedScopes: ['openid', 'profiles:read'] });
    const own = await idTokenOf();
    const [head, , signature] = own.split('.');
    const claims = Buffer.from(JSON.stringify({ ...decodeJwt(own), sub: other.userId })).toString(
      'base64url',
    );
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const foreign = [
      'x',
      'a.b.c',
      `${head}.${claims}.${signature}`,
      `${none}.${claims}.`,
      await idTokenOf(other),
    ];
    for (const hint of foreign)
      expect(errorOf((await authorize(scene.email, hint, 'none')).page)).toBe('invalid_request');
  });

  test('AZ-21: an expired one is accepted', async () => {
    const hint = await idTokenOf();
    http.advance(7_200_000);
    expect(returned((await authorize(scene.email, hint, 'none')).page)).toHaveProperty('code');
  });

  test('AZ-31: another user is not answered for: login_required, or the sign-in page', async () => {
    const email = `eve@${scene.organizationId.toLowerCase()}.example`;
    await createUser(http, email);
    const hint = await idTokenOf();
    expect(errorOf((await authorize(email, hint, 'none')).page)).toBe('login_required');
    const { browser, page } = await authorize(email, hint);
    expect(page.body).toContain('name="password"');
    const still = await browser.follow(await browser.press(page, 'Sign in', { email, password }));
    expect(still.body).toContain('name="password"');
    const right = { email: scene.email, password };
    expect(returned(await browser.follow(await browser.press(still, 'Sign in', right)))).toHaveProperty(
      'code',
    );
  });
});

describe('userinfo', () => {
  const url = '/oauth/userinfo';
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const get = (authorization?: string, query = '') =>
    http.app.inject({ url: url + query, headers: authorization === undefined ? {} : { authorization } });
  const post = (payload: string, headers: Record<string, string> = {}) =>
    http.app.inject({ method: 'POST', url, payload, headers: { ...form, ...headers } });
  const accessToken = async (change: Record<string, string> = asked.change, by = scene) =>
    (await obtainTokens(http, by, { ...user, change })).access_token;

  test('UI-01: answers GET and POST, to a token in the header or in the form of a POST', async () => {
    const token = await accessToken();
    const answers = [
      await get(`Bearer ${token}`),
      await get(`bEARER ${token}`),
      await post('', { authorization: `Bearer ${token}` }),
      await post(`access_token=${token}`),
    ];
    for (const answer of answers) {
      expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, 'no-store']);
      expect(answer.headers['content-type']).toContain('application/json');
      expect(answer.json()).toEqual({
        sub: scene.userId,
        name: 'Ada Ahoi',
        updated_at: expect.any(Number) as number,
        email: scene.email,
        email_verified: true,
      });
    }
  });

  test('FX-01: says whether somebody vouches for the address', async () => {
    const email = 'vouched@openid.example';
    const userId = await createUser(http, email);
    const { access_token: token } = await obtainTokens(
      http,
      { ...scene, email, userId },
      { subject: 'user', change: { scope: 'openid email', nonce: 'n' } },
    );
    const stream = accountStream(userId);
    const told = async (emailVouchedBy: VouchedBy) => {
      const { revision } = await http.store.read(stream);
      const data = { email, at: 1, emailVouchedBy };
      await http.store.append(stream, revision, [{ event: { type: 'AccountEmailChanged', data } }]);
      await http.settle();
      return (await get(`Bearer ${token}`)).json<object>();
    };
    const answers = [];
    for (const by of ['nobody', 'provider', 'nobody', 'operator'] as const) answers.push(await told(by));
    expect(answers).toMatchObject(
      [false, true, false, true].map((isVerified) => ({ email, email_verified: isVerified })),
    );
  });

  test.each([
    ['openid', 'sub'],
    ['openid profile', 'sub name updated_at'],
    ['openid email', 'sub email email_verified'],
    ['email profile openid', 'sub name updated_at email email_verified'],
  ])('FX-24: %s opens %s', async (scope, claims) => {
    const answer = await get(`Bearer ${await accessToken({ scope })}`);
    expect(Object.keys(answer.json<object>()).join(' ')).toBe(claims);
  });

  test('FX-24: updated_at is when the name or address changed last', async () => {
    const own = await setScene(http, { allowedScopes: ['openid'] });
    const token = await accessToken({ scope: 'openid profile' }, own);
    const read = async () => (await get(`Bearer ${token}`)).json<{ name: string; updated_at: number }>();
    const before = await read();
    http.advance(90_000);
    await http.commands.updateUser({ userId: own.userId, name: 'Ada Byron' });
    await http.settle();
    expect(await read()).toEqual({ ...before, name: 'Ada Byron', updated_at: expect.any(Number) as number });
    expect((await read()).updated_at - before.updated_at).toBeGreaterThanOrEqual(90);
  });

  test('UI-01, UI-03: a token in the address, in two places or twice is invalid_request', async () => {
    const token = await accessToken();
    const authorization = `Bearer ${token}`;
    const answers = [
      await get(undefined, `?access_token=${token}`),
      await get(authorization, `?access_token=${token}`),
      await post(`access_token=${token}`, { authorization }),
      await post(`access_token=${token}&access_token=${token}`),
    ];
    for (const answer of answers) {
      expect(answer.statusCode).toBe(400);
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="grantbook", error="invalid_request"');
      expect(answer.body).not.toContain(token);
    }
  });

  test('UI-02: without a token the challenge names no error', async () => {
    for (const answer of [await get(), await post(''), await get('Basic YTpi'), await post('access_token=')])
      expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([
        401,
        'Bearer realm="grantbook"',
      ]);
  });

  test('UI-03: a bad or expired token is invalid_token, one without openid insufficient_scope', async () => {
    const invalid = 'Bearer realm="grantbook", error="invalid_token"';
    const token = await accessToken();
    for (const answer of [await get('Bearer x'), await get(`Bearer ${token}x`), await post('access_token=x')])
      expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, invalid]);
    const narrow = await get(`Bearer ${await accessToken({ scope: 'profiles:read' })}`);
    expect([narrow.statusCode, narrow.headers['www-authenticate']]).toEqual([
      403,
      'Bearer realm="grantbook", error="insufficient_scope", scope="openid"',
    ]);
    http.advance(3_600_000);
    const expired = await get(`Bearer ${token}`);
    expect([expired.statusCode, expired.headers['www-authenticate']]).toEqual([401, invalid]);
  });

  test('UI-03, RS-02, RV-06: what ends a token is seen at once; an untrusted fence is a 503', async () => {
    const own = await setScene(http, { allowedScopes: ['openid'] });
    const [suspended, revoked] = [await accessToken({ scope: 'openid' }, own), await accessToken()];
    for (const token of [suspended, revoked]) expect((await get(`Bearer ${token}`)).statusCode).toBe(200);
    await http.commands.suspendAddon(own.clientId);
    const given = new URLSearchParams({ token: revoked, client_id: scene.clientId }).toString();
    await http.app.inject({ method: 'POST', url: '/oauth/revoke', headers: form, payload: given });
    for (const token of [suspended, revoked]) {
      const refused = await get(`Bearer ${token}`);
      expect([refused.statusCode, refused.headers['www-authenticate']]).toEqual([
        401,
        'Bearer realm="grantbook", error="invalid_token"',
      ]);
    }
    http.setTrusted(false);
    const closed = await get(`Bearer ${suspended}`);
    http.setTrusted(true);
    expect([closed.statusCode, closed.headers['retry-after']]).toEqual([503, '2']);
  });

  test('what is no form is not read, and a browser may ask from any origin', async () => {
    expect((await post('{}', { 'content-type': 'application/json' })).statusCode).toBe(415);
    const preflight = await http.app.inject({ method: 'OPTIONS', url });
    expect([preflight.statusCode, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
    expect((await get()).headers['access-control-allow-origin']).toBe('*');
    expect((await http.app.inject({ method: 'PUT', url })).statusCode).toBe(405);
  });

  test('UI-04: sub is the one of the id_token, for each user their own', async () => {
    const email = `grace@${scene.organizationId.toLowerCase()}.example`;
    const grace = await createUser(http, email);
    await http.settle();
    const tokens = await obtainTokens(http, { ...scene, email }, asked);
    const { id_token } = tokens as unknown as { id_token: string };
    const person = (await get(`Bearer ${tokens.access_token}`)).json<{ sub: string; email: string }>();
    expect([person.sub, person.email]).toEqual([grace, email]);
    expect(decodeJwt(id_token).sub).toBe(grace);
  });
});
