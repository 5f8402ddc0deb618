import { afterAll, expect, test } from 'vitest';
import { lists } from '../../../../src/http/lists/lists.ts';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import {
  activate,
  listWith,
  obtainTokens,
  postToken,
  refreshWith,
  setScene,
  type Tokens,
} from '../../../support/scenes/http-scene.ts';

const http = await startPlugins([lists, tokenEndpoints]);
const scene = await setScene(http);
afterAll(() => http.close());

const begin = () => obtainTokens(http, scene, { subject: 'user' });

test('RT-08: the access tokens of the family open the lists until they expire by themselves', async () => {
  const first = await begin();
  http.advance(1_800_000);
  const second = (await refreshWith(http, scene, first.refresh_token)).json<Tokens>();
  const third = (await refreshWith(http, scene, second.refresh_token)).json<Tokens>();
  const statusOf = async ({ access_token }: Tokens) =>
    (await listWith(http, '/profiles', access_token)).statusCode;
  expect(await Promise.all([first, second, third].map(statusOf))).toEqual([200, 200, 200]);
  http.advance(1_800_000);
  expect(await Promise.all([first, second, third].map(statusOf))).toEqual([401, 200, 200]);
});

test('SU-01: while the add-on is suspended a refresh is answered so, not with invalid_grant: no client throws its token away', async () => {
  const { refresh_token } = await begin();
  await http.commands.suspendAddon(scene.clientId);
  const refused = await refreshWith(http, scene, refresh_token);
  await http.commands.resumeAddon(scene.clientId);
  expect([refused.statusCode, refused.json().error]).toEqual([400, 'unauthorized_client']);
  expect((await refreshWith(http, scene, refresh_token)).statusCode).toBe(200);
});

test('RT-18: no sender-constrained tokens are issued, so every refresh rotates', async () => {
  const seen = new Set<string>();
  let { refresh_token } = await begin();
  for (const dpop of [{}, { dpop: 'eyJ0eXAiOiJkcG9wK2p3dCJ9.e30.x' }, {}]) {
    seen.add(refresh_token);
    const fields = { grant_type: 'refresh_token', client_id: scene.clientId, refresh_token };
    const refreshed = (await postToken(http.app, fields, dpop)).json();
    expect(refreshed).toMatchObject({ token_type: 'Bearer', refresh_token: expect.any(String) });
    ({ refresh_token } = refreshed as Tokens);
    expect(seen.has(refresh_token)).toBe(false);
  }
});

test('GR-03: past it 429 with Retry-After, on which nobody throws a token away, and never a dead family', async () => {
  const options = { startAt: Date.UTC(2026, 5, 1), rotationsPerHour: 2 };
  const limited = await startPlugins([tokenEndpoints], options);
  const other = await setScene(limited);
  await activate(limited, other);
  const first = await obtainTokens(limited, other, { subject: `organization:${other.organizationId}` });
  limited.advance(600_000);
  const second: Tokens = (await refreshWith(limited, other, first.refresh_token)).json();
  const third: Tokens = (await refreshWith(limited, other, second.refresh_token)).json();
  const refused = await refreshWith(limited, other, third.refresh_token);
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '3000']);
  expect(refused.json()).toMatchObject({ error: 'temporarily_unavailable' });
  const repeated = await refreshWith(limited, other, second.refresh_token);
  expect([repeated.statusCode, repeated.json<Tokens>().refresh_token]).toEqual([200, third.refresh_token]);
  limited.advance(3_000_000);
  expect((await refreshWith(limited, other, third.refresh_token)).statusCode).toBe(200);
  await limited.close();
});
