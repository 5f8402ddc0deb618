import fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lists } from '../../../../src/http/lists/lists.ts';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { makeTokenCors } from '../../../../src/http/oauth/token/token-cors.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import { verifier } from '../../../support/scenes/grants.ts';
import {
  exchange,
  listWith,
  obtainCode,
  obtainTokens,
  postToken,
  redirectUri,
  setScene,
  type Scene,
} from '../../../support/scenes/http-scene.ts';
import { basic } from '../../../support/scenes/presented-tokens.ts';

const http = await startPlugins([lists, tokenEndpoints]);
const scene = await setScene(http);
const secretive = await setScene(http, { name: 'Books & Keys', confidential: true });
afterAll(() => http.close());

const asUser = { subject: 'user' };
const refreshing = { grant_type: 'refresh_token', refresh_token: 'mkt_rt_unknown' };
const exchanging = {
  grant_type: 'authorization_code',
  code: 'mkt_code_unknown',
  redirect_uri: redirectUri,
  code_verifier: verifier,
};
describe('the request', () => {
  test('TK-01: other methods answer 405 with Allow', async () => {
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const answer = await http.app.inject({ method, url: '/oauth/token' });
      expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'POST, OPTIONS']);
    }
  });

  test.each(['application/json', 'multipart/form-data; boundary=x', 'text/plain', 'nonsense'])(
    'TK-02: a body of type %s is invalid_request',
    async (type) => {
      const headers = { 'content-type': type };
      const answer = await http.app.inject({ method: 'POST', url: '/oauth/token', headers, payload: '{}' });
      expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_request']);
    },
  );

  test('S1: the parameters may come in the query string, as the specification shows them', async () => {
    const code = await obtainCode(http, scene, asUser);
    const query = new URLSearchParams({ ...exchanging, client_id: scene.clientId, code }).toString();
    const answer = await http.app.inject({ method: 'POST', url: `/oauth/token?${query}` });
    expect(answer.statusCode).toBe(200);
  });

  test('TK-03: no answer may be kept', async () => {
    const code = await obtainCode(http, scene, asUser);
    const answers = [
      await exchange(http, scene, code),
      await exchange(http, scene, 'x'),
      await postToken(http.app, {}),
    ];
    for (const answer of answers) {
      expect(answer.headers).toMatchObject({
        'cache-control': expect.stringMatching(/^no-store\b/),
        pragma: 'no-cache',
      });
      expect(answer.headers['content-type']).toContain('application/json');
    }
  });
});

describe('who calls', () => {
  test('TK-05, TK-06: an unknown client is 401; with Authorization the challenge says Basic', async () => {
    const body = await postToken(http.app, { ...refreshing, client_id: 'nobody' });
    expect([body.statusCode, body.json().error]).toEqual([401, 'invalid_client']);
    expect(body.headers['www-authenticate']).toBeUndefined();
    const header = await postToken(http.app, refreshing, basic('01JZZZZZZZZZZZZZZZZZZZZZZX', 'x'));
    expect([header.statusCode, header.json().error]).toEqual([401, 'invalid_client']);
    expect(header.headers['www-authenticate']).toMatch(/^Basic realm=/);
  });

  test('TK-07: Basic is form-decoded; a second mechanism or another client_id is invalid_request', async () => {
    const { clientId, clientSecret } = secretive;
    const secret = clientSecret ?? '';
    const encoded = secret.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
    const errors = await Promise.all([
      postToken(http.app, refreshing, basic(clientId, encoded)),
      postToken(http.app, { ...refreshing, client_id: clientId }, basic(clientId, secret)),
      postToken(http.app, { ...refreshing, client_secret: secret }, basic(clientId, secret)),
      postToken(http.app, { ...refreshing, client_id: scene.clientId }, basic(clientId, secret)),
    ]);
    expect(errors.map((answer) => answer.json().error)).toEqual([
      'invalid_grant',
      'invalid_grant',
      'invalid_request',
      'invalid_request',
    ]);
  });

  test('TK-08: a confidential add-on proves itself by Basic or in the body, and not otherwise', async () => {
    const { clientId: client_id } = secretive;
    const client_secret = secretive.clientSecret ?? '';
    const errors = await Promise.all([
      postToken(http.app, { ...refreshing, client_id, client_secret }),
      postToken(http.app, refreshing, basic(client_id, client_secret)),
      postToken(http.app, { ...refreshing, client_id }),
      postToken(http.app, { ...refreshing, client_id, client_secret: `${client_secret}x` }),
      postToken(http.app, refreshing, basic(client_id, '')),
      postToken(http.app, { ...refreshing, client_id, client_assertion_type: 'x', client_assertion: 'x' }),
    ]);
    expect(errors.map((answer) => answer.json().error)).toEqual([
      'invalid_grant',
      'invalid_grant',
      'invalid_client',
      'invalid_client',
      'invalid_client',
      'invalid_client',
    ]);
  });

  test('TK-08: a public add-on sends no secret; an empty Basic password counts as none', async () => {
    const none = await postToken(http.app, refreshing, basic(scene.clientId, ''));
    expect(none.json().error).toBe('invalid_grant');
    const some = await postToken(http.app, { ...refreshing, client_id: scene.clientId, client_secret: 'x' });
    expect([some.statusCode, some.json().error]).toEqual([401, 'invalid_client']);
  });

  test('TK-09: who fails to prove itself learns nothing about a code, and does not use it up', async () => {
    const code = await obtainCode(http, secretive, asUser);
    const fields = { ...exchanging, client_id: secretive.clientId, code };
    const stranger = await postToken(http.app, fields);
    const made = await postToken(http.app, { ...fields, code: 'x' });
    expect(stranger.body).toBe(made.body);
    const owner = await postToken(http.app, { ...fields, client_secret: secretive.clientSecret ?? '' });
    expect(owner.statusCode).toBe(200);
  });

  test('TK-11: a preflight from a registered origin succeeds without credentials, from another it gets no leave', async () => {
    const allowed = async (origin: string) => {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const answer = await http.app.inject({ method: 'OPTIONS', url: '/oauth/token', headers });
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
      return [answer.statusCode, answer.headers['access-control-allow-origin']];
    };
    const preflight = await http.app.inject({
      method: 'OPTIONS',
      url: '/oauth/token',
      headers: { origin: 'https://addon.example', 'access-control-request-headers': 'content-type' },
    });
    expect(preflight.headers['access-control-allow-methods']).toContain('POST');
    for (const header of ['authorization', 'content-type'])
      expect(preflight.headers['access-control-allow-headers']).toContain(header);
    expect(await allowed('https://addon.example')).toEqual([204, 'https://addon.example']);
    expect(await allowed('https://evil.example')).toEqual([204, undefined]);
    const fields = { ...refreshing, client_id: scene.clientId };
    const answered = await postToken(http.app, fields, { origin: 'https://addon.example' });
    expect(answered.headers['access-control-allow-origin']).toBe('https://addon.example');
    const elsewhere = await postToken(http.app, fields, { origin: 'https://evil.example' });
    expect(elsewhere.headers['access-control-allow-origin']).toBeUndefined();
  });
});

test('FX-23, FX-33: preflights allow Trace Context, and however many arrive, the origins are read once', async () => {
  let reads = 0;
  let isBroken = false;
  let now = 0;
  const addons = async () => {
    reads += 1;
    await Promise.resolve();
    if (isBroken) throw new Error('no database');
    return [{ redirectUris: ['https://addon.example/cb'] }] as never;
  };
  const app = fastify();
  app.options('/', makeTokenCors({ addons }, () => now).preflight);
  const ask = async () => {
    const headers = { origin: 'https://addon.example' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => app.inject({ method: 'OPTIONS', url: '/', headers })),
    );
    return answers.map((answer) => answer.headers['access-control-allow-headers']);
  };
  expect(new Set(await ask())).toEqual(new Set(['authorization, content-type, traceparent, tracestate']));
  expect([await ask(), reads].at(-1)).toBe(1);
  [now, isBroken] = [5_000, true];
  expect([new Set(await ask()), reads]).toEqual([new Set([undefined]), 2]);
});

describe('what an add-on was registered for', () => {
  let once: Scene;
  let server: Scene;
  beforeAll(async () => {
    once = await setScene(http, { name: 'Once', grantTypes: ['authorization_code'] });
    server = await setScene(http, { name: 'Doors API', confidential: true, grantTypes: [] });
  });

  test('TK-04: a grant type that the add-on was not registered for is unauthorized_client', async () => {
    const refused = await postToken(http.app, { ...refreshing, client_id: once.clientId });
    expect([refused.statusCode, refused.json().error]).toEqual([400, 'unauthorized_client']);
    expect(refused.headers['cache-control']).toBe('no-store');
    const client = { client_id: server.clientId, client_secret: server.clientSecret ?? '' };
    for (const fields of [exchanging, refreshing]) {
      const answer = await postToken(http.app, { ...client, ...fields });
      expect([answer.statusCode, answer.json().error]).toEqual([400, 'unauthorized_client']);
    }
  });

  test('TK-04, TK-09: who did not prove who it is does not learn what it is registered for', async () => {
    const stranger = { client_id: server.clientId, client_secret: 'wrong' };
    const answer = await postToken(http.app, { ...refreshing, ...stranger });
    expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client']);
  });

  test('TK-12: an add-on that may not refresh gets an access token and no refresh token', async () => {
    const answer = await exchange(http, once, await obtainCode(http, once, asUser));
    expect(answer.statusCode).toBe(200);
    expect(Object.keys(answer.json()).join(' ')).toBe('access_token token_type expires expires_in scope');
  });
});

describe('authorization_code', () => {
  test('S2, TK-12: the answer holds both names of the lifetime and the scope', async () => {
    const code = await obtainCode(http, scene, { ...asUser, change: { scope: 'profiles:read' } });
    expect((await exchange(http, scene, code)).json()).toEqual({
      access_token: expect.stringMatching(/^mkt_at_/),
      refresh_token: expect.stringMatching(/^mkt_rt_/),
      token_type: 'Bearer',
      expires: 3600,
      expires_in: 3600,
      scope: 'profiles:read',
    });
  });

  /** What HttpURLConnection of the JDK sends of itself, and then follows a redirect without the tokens. */
  const java = 'text/html, image/gif, image/jpeg, */*; q=0.2';

  test.each<[number, Record<string, string>]>([
    [200, {}],
    [200, { accept: 'application/json' }],
    [200, { accept: '*/*', 'sec-fetch-mode': 'cors' }],
    [200, { accept: java }],
    [200, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }],
    [200, { accept: 'text/html', 'sec-fetch-mode': 'cors' }],
    [303, { 'sec-fetch-mode': 'navigate' }],
    [303, { 'sec-fetch-mode': 'navigate', accept: 'application/json' }],
  ])('S3: Location is the redirect URI, verbatim, with status %i for %j', async (status, headers) => {
    const code = await obtainCode(http, scene, asUser);
    const answer = await postToken(http.app, { ...exchanging, client_id: scene.clientId, code }, headers);
    expect([answer.statusCode, answer.headers.location]).toEqual([status, redirectUri]);
    expect(answer.json().access_token).toMatch(/^mkt_at_/);
  });

  test('S3: who sends Authorization is no browser that navigates', async () => {
    const code = await obtainCode(http, secretive, asUser);
    const { clientId, clientSecret } = secretive;
    const headers = { ...basic(clientId, clientSecret ?? ''), 'sec-fetch-mode': 'navigate', accept: java };
    const answer = await postToken(http.app, { ...exchanging, code }, headers);
    expect([answer.statusCode, answer.headers.location]).toEqual([200, redirectUri]);
    expect(answer.json().access_token).toMatch(/^mkt_at_/);
  });
});

describe('refresh_token', () => {
  test('RT-09, RT-10: scope may narrow for once, never widen, and a refusal uses nothing up', async () => {
    const tokens = await obtainTokens(http, scene, asUser);
    const refresh = (refresh_token: string, scope: string) =>
      postToken(http.app, {
        grant_type: 'refresh_token',
        client_id: scene.clientId,
        refresh_token,
        scope,
      });
    for (const scope of ['profiles:read openid', 'profiles:read unheard:of'])
      expect((await refresh(tokens.refresh_token, scope)).json().error).toBe('invalid_scope');
    const narrow = (await refresh(tokens.refresh_token, 'profiles:read')).json();
    expect(narrow.scope).toBe('profiles:read');
    expect((await listWith(http, '/reservations', narrow.access_token)).statusCode).toBe(403);
    const full = (await refresh(narrow.refresh_token, '')).json();
    expect(full.scope).toBe('profiles:read reservations:read access-rights:read');
  });
});

test('RS-02: while the fence cannot be trusted, nothing is issued: 503 and Retry-After', async () => {
  http.setTrusted(false);
  const answer = await postToken(http.app, { ...refreshing, client_id: scene.clientId });
  http.setTrusted(true);
  expect([answer.statusCode, answer.json().error]).toEqual([503, 'temporarily_unavailable']);
  expect(answer.headers['retry-after']).toMatch(/^\d+$/);
});
