import { afterAll, expect, test } from 'vitest';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import { obtainTokens, postToken, setScene } from '../../../support/scenes/http-scene.ts';

const http = await startPlugins([tokenEndpoints]);
const scene = await setScene(http);
afterAll(() => http.close());

test('RT-18: no sender-constrained tokens are issued, so every refresh rotates', async () => {
  const seen = new Set<string>();
  let { refresh_token } = await obtainTokens(http, scene, { subject: 'user' });
  for (const dpop of [{}, { dpop: 'eyJ0eXAiOiJkcG9wK2p3dCJ9.e30.x' }, {}]) {
    seen.add(refresh_token);
    const fields = { grant_type: 'refresh_token', client_id: scene.clientId, refresh_token };
    const refreshed = (await postToken(http.app, fields, dpop)).json();
    expect(refreshed).toMatchObject({ token_type: 'Bearer', refresh_token: expect.any(String) });
    ({ refresh_token } = refreshed as { refresh_token: string });
    expect(seen.has(refresh_token)).toBe(false);
  }
});
