import { decodeJwt } from 'jose';
import { afterAll, expect, test } from 'vitest';
import { lists } from '../../../../src/http/lists/lists.ts';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import { exchange, listWith, obtainCode, refreshWith, setScene } from '../../../support/scenes/http-scene.ts';

const http = await startPlugins([lists, tokenEndpoints]);
const scene = await setScene(http, { allowedScopes: ['openid', 'profiles:read'] });
afterAll(() => http.close());

type Answer = { readonly access_token: string; readonly refresh_token: string; readonly id_token: string };

const begin = async (): Promise<Answer> => {
  const change = { scope: 'openid profiles:read', nonce: 'n1', prompt: 'login' };
  return (await exchange(http, scene, await obtainCode(http, scene, { subject: 'user', change }))).json();
};

test('RT-08: the access tokens of the family open the lists until they expire by themselves', async () => {
  const first = await begin();
  http.advance(1_800_000);
  const second = (await refreshWith(http, scene, first.refresh_token)).json<Answer>();
  const third = (await refreshWith(http, scene, second.refresh_token)).json<Answer>();
  const statusOf = async ({ access_token }: Answer) =>
    (await listWith(http, '/profiles', access_token)).statusCode;
  expect(await Promise.all([first, second, third].map(statusOf))).toEqual([200, 200, 200]);
  http.advance(1_800_000);
  expect(await Promise.all([first, second, third].map(statusOf))).toEqual([401, 200, 200]);
});

test('RT-14: an hour later the id_token has the auth_time of the sign-in, a new iat, and is otherwise the same', async () => {
  const first = await begin();
  const before = decodeJwt(first.id_token);
  http.advance(3_600_000);
  const after = decodeJwt((await refreshWith(http, scene, first.refresh_token)).json<Answer>().id_token);
  for (const claim of ['iss', 'sub', 'aud', 'auth_time']) expect(after[claim]).toEqual(before[claim]);
  expect((after.iat ?? 0) - (before.iat ?? 0)).toBeGreaterThanOrEqual(3_600);
  expect(after).not.toHaveProperty('nonce');
});

test('SU-01: while the add-on is suspended a refresh is answered so, not with invalid_grant: no client throws its token away', async () => {
  const { refresh_token } = await begin();
  await http.commands.suspendAddon(scene.clientId);
  const refused = await refreshWith(http, scene, refresh_token);
  await http.commands.resumeAddon(scene.clientId);
  expect([refused.statusCode, refused.json().error]).toEqual([400, 'unauthorized_client']);
  expect((await refreshWith(http, scene, refresh_token)).statusCode).toBe(200);
});
