import { afterAll, expect, test } from 'vitest';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { verifier } from '../../../support/scenes/grants.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import {
  exchange,
  obtainCode,
  postToken,
  redirectUri,
  setScene,
} from '../../../support/scenes/http-scene.ts';

/** What an add-on was registered for, and what it is refused. */
const http = await startPlugins([tokenEndpoints]);
const once = await setScene(http, { name: 'Once', grantTypes: ['authorization_code'] });
const server = await setScene(http, { name: 'Doors API', confidential: true, grantTypes: [] });
afterAll(() => http.close());

test('TK-04: a grant type that the add-on was not registered for is unauthorized_client', async () => {
  const refreshing = { grant_type: 'refresh_token', client_id: once.clientId, refresh_token: 'x' };
  const refused = await postToken(http.app, refreshing);
  expect([refused.statusCode, refused.json().error]).toEqual([400, 'unauthorized_client']);
  expect(refused.headers['cache-control']).toBe('no-store');
  const client = { client_id: server.clientId, client_secret: server.clientSecret ?? '' };
  const exchanging = { code: 'x', redirect_uri: redirectUri, code_verifier: verifier };
  for (const fields of [
    { grant_type: 'authorization_code', ...exchanging },
    { grant_type: 'refresh_token', refresh_token: 'x' },
  ]) {
    const answer = await postToken(http.app, { ...client, ...fields });
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'unauthorized_client']);
  }
});

test('TK-04, TK-09: who did not prove who it is does not learn what it is registered for', async () => {
  const stranger = { client_id: server.clientId, client_secret: 'wrong' };
  const answer = await postToken(http.app, { ...stranger, grant_type: 'refresh_token', refresh_token: 'x' });
  expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client']);
});

test('TK-12: an add-on that may not refresh gets an access token and no refresh token', async () => {
  const answer = await exchange(http, once, await obtainCode(http, once, { subject: 'user' }));
  expect(answer.statusCode).toBe(200);
  expect(Object.keys(answer.json())).toEqual([
    'access_token',
    'token_type',
    'expires',
    'expires_in',
    'scope',
  ]);
});
