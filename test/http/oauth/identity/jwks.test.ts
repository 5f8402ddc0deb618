import { afterAll, beforeAll, expect, test } from 'vitest';
import { discovery } from '../../../../src/http/oauth/identity/plugin.ts';
import { startPlugins, type PluginApp } from '../../../support/scenes/plugin-app.ts';

let http: PluginApp;
beforeAll(async () => void (http = await startPlugins([discovery])));
afterAll(() => http.close());

const get = (headers: Record<string, string> = {}) =>
  http.app.inject({ method: 'GET', url: '/oauth/jwks', headers });

test('JW-01: the keys are there before anybody signs with them, public members only', async () => {
  const answer = await get();
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-type']).toContain('application/json');
  const { keys } = answer.json<{ keys: readonly { kid: string }[] }>();
  expect(keys.map((key) => Object.keys(key).sort().join(' ')).sort()).toEqual([
    'alg crv kid kty use x y',
    'alg e kid kty n use',
  ]);
  expect(new Set(keys.map(({ kid }) => kid)).size).toBe(2);
});

test('JW-03: they may be cached, and a client that has them is answered so', async () => {
  const { headers, body } = await get();
  expect(headers['cache-control']).toBe('public, max-age=300');
  const { etag } = headers;
  expect(etag).toMatch(/^"[\w-]{43}"$/);
  for (const known of [String(etag), `"other", W/${String(etag)}`, '*']) {
    const again = await get({ 'if-none-match': known });
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
  }
  expect((await get({ 'if-none-match': '"other"' })).body).toBe(body);
});

test('only reading is offered', async () => {
  const answer = await http.app.inject({ method: 'POST', url: '/oauth/jwks' });
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
});
