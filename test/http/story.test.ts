import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realStore, startHttpApp } from '../support/scenes/http-app.ts';
import {
  activate,
  authorizeUrl,
  deactivate,
  exchange,
  listWith,
  obtainCode,
  obtainTokens,
  refreshWith,
  returned,
  setScene,
  signedIn,
  type Scene,
} from '../support/scenes/http-scene.ts';
import { testBrowser } from '../support/scenes/pages.ts';
import { profileOf } from '../support/scenes/profile.ts';

const http = await startHttpApp({ store: await realStore() });
afterAll(() => http.close());

const record = async ({ organizationId }: Scene, count: number) => {
  for (let number = 1; number <= count; number += 1) {
    const id = `p${number}`;
    const record = profileOf(`Person ${number}`, { email: `p${number}@example.com` });
    await http.commands.recordProfile({ organizationId, id, version: 1, record });
    await http.commands.recordAccessRight({
      organizationId,
      id: `a${number}`,
      version: 1,
      record: {
        profileId: id,
        opens: `Door ${number}`,
        validFrom: '2026-01-01T00:00:00Z',
        validUntil: null,
        status: 'active',
        reservationId: null,
      },
    });
  }
  await http.settle();
};

describe('the whole story of an add-on', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await setScene(http);
    await record(scene, 5);
  });

  test('sign in, activate, approve, exchange, list along the links, refresh, deactivate, be refused', async () => {
    const browser = await signedIn(http, scene);
    const organization = await browser.get(`/admin/organizations/${scene.organizationId}`);
    const activated = await browser.press(organization, 'Activate Door Sync');
    expect(activated.statusCode).toBe(303);
    expect(activated.headers.location).toMatch(
      /^https:\/\/addon\.example\/configure\?from=grantbook&activation_hint=[\w-]{22}&organization=[0-9A-Z]{26}$/,
    );

    const approval = await browser.get(authorizeUrl(scene));
    expect(approval.body).toContain('Harbour Club');
    const back = returned(await browser.press(approval, 'Allow'));
    expect(back).toEqual({
      x: '1',
      code: expect.stringMatching(/^mkt_code_/),
      state: 'st+&=%#',
      iss: http.baseUrl,
    });

    const exchanged = await exchange(http, scene, back['code'] ?? '');
    expect(exchanged.statusCode).toBe(200);
    expect(exchanged.json()).toEqual({
      access_token: expect.stringMatching(/^mkt_at_/),
      refresh_token: expect.stringMatching(/^mkt_rt_/),
      token_type: 'Bearer',
      expires: 3600,
      expires_in: 3600,
      scope: 'profiles:read reservations:read access-rights:read',
      organization_id: scene.organizationId,
    });

    const seen: string[] = [];
    let url = '/access-rights?per_page=2';
    for (let pages = 0; url !== '' && pages < 10; pages += 1) {
      const page = await listWith(http, url, exchanged.json().access_token);
      expect(page.statusCode).toBe(200);
      expect(page.json()._pagination).toEqual({ page: pages + 1, total_items: 5, pages: 3, per_page: 2 });
      seen.push(...page.json().items.map(({ id }: { id: string }) => id));
      const next = page.json()._links.find(({ rel }: { rel: string }) => rel === 'next');
      url = next?.href.replace(http.baseUrl, '') ?? '';
    }
    expect(seen).toEqual(['a1', 'a2', 'a3', 'a4', 'a5']);

    const refreshed = await refreshWith(http, scene, exchanged.json().refresh_token);
    expect(refreshed.statusCode).toBe(200);
    const { access_token, refresh_token } = refreshed.json();
    expect(refresh_token).not.toBe(exchanged.json().refresh_token);
    expect((await listWith(http, '/profiles', access_token)).statusCode).toBe(200);

    const addon = `/admin/organizations/${scene.organizationId}/addons/${scene.clientId}`;
    const deactivated = await browser.press(await browser.get(`${addon}/deactivate`), 'Deactivate');
    expect((await browser.follow(deactivated)).body).toContain('Door Sync was deactivated');
    const refused = await listWith(http, '/profiles', access_token);
    expect(refused.statusCode).toBe(401);
    expect(refused.json().type).toBe(`${http.baseUrl}/problems/addon-deactivated`);
    expect((await refreshWith(http, scene, refresh_token)).json().error).toBe('invalid_grant');
  });

  test('DE-05, DA-04: activated again, the old tokens stay dead and approval is asked for again', async () => {
    const other = await setScene(http);
    await activate(http, other);
    const browser = testBrowser(http.app);
    const tokens = await obtainTokens(http, other, { browser });
    await deactivate(http, other);
    await activate(http, other);
    expect((await listWith(http, '/profiles', tokens.access_token)).statusCode).toBe(401);
    expect((await browser.get(authorizeUrl(other))).body).toContain('Allow Door Sync?');
    const code = await obtainCode(http, other, { browser });
    expect((await exchange(http, other, code)).statusCode).toBe(200);
  });
});
