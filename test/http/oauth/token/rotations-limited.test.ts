import { afterAll, expect, test } from 'vitest';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import {
  activate,
  obtainTokens,
  refreshWith,
  setScene,
  type Tokens,
} from '../../../support/scenes/http-scene.ts';

const http = await startPlugins([tokenEndpoints], { startAt: Date.UTC(2026, 5, 1), rotationsPerHour: 2 });
afterAll(() => http.close());

test('GR-03: past it 429 with Retry-After, on which nobody throws a token away, and never a dead family', async () => {
  const scene = await setScene(http);
  await activate(http, scene);
  const first = await obtainTokens(http, scene, { subject: `organization:${scene.organizationId}` });
  http.advance(600_000);
  const second: Tokens = (await refreshWith(http, scene, first.refresh_token)).json();
  const third: Tokens = (await refreshWith(http, scene, second.refresh_token)).json();
  const refused = await refreshWith(http, scene, third.refresh_token);
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '3000']);
  expect(refused.json()).toMatchObject({ error: 'temporarily_unavailable' });
  const repeated = await refreshWith(http, scene, second.refresh_token);
  expect([repeated.statusCode, repeated.json<Tokens>().refresh_token]).toEqual([200, third.refresh_token]);
  http.advance(3_000_000);
  expect((await refreshWith(http, scene, third.refresh_token)).statusCode).toBe(200);
});
