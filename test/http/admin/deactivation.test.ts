import { afterAll, expect, test } from 'vitest';
import { valueOf } from '../../support/outcomes.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  createUser,
  exchange,
  listWith,
  obtainCode,
  obtainTokens,
  refreshWith,
  setScene,
  signedIn,
  type Scene,
  type Tokens,
} from '../../support/scenes/http-scene.ts';
import type { TestBrowser } from '../../support/scenes/pages.ts';
import { wearOut } from '../../support/scenes/wear-out.ts';

const http = await startHttpApp();
afterAll(() => http.close());

/** One add-on, active for two organizations with the same administrator. */
const twoOrganizations = async () => {
  const here = await setScene(http, { allowedScopes: ['profiles:read'] });
  const { organizationId } = valueOf(await http.commands.createOrganization({ name: 'The other one' }));
  const email = `both${organizationId}@harbour.example`;
  const userId = await createUser(http, email, [here.organizationId, organizationId]);
  const scenes = [here, { ...here, organizationId }].map((scene) => ({ ...scene, email, userId }));
  for (const scene of scenes) await activate(http, scene);
  const browser = await signedIn(http, { email });
  return { scenes: scenes as [Scene, Scene], browser };
};

const flowOf = ({ organizationId }: Scene, browser: TestBrowser) => ({
  browser,
  subject: `organization:${organizationId}`,
  change: { prompt: 'consent' },
});

/** What an add-on can do with what it has; the code and the refresh token are used up by asking. */
const whatWorks = async (scene: Scene, code: string, tokens: Tokens) => {
  const { clientId } = scene;
  const answers = [
    await listWith(http, '/profiles', tokens.access_token),
    await exchange(http, scene, code),
    await refreshWith(http, scene, tokens.refresh_token),
  ];
  const introspected = await http.commands.introspectToken({
    addonId: clientId,
    token: tokens.access_token,
    audiences: [],
  });
  return [...answers.map(({ statusCode }) => statusCode), introspected !== null];
};

test('DA-02, DA-03, DA-05, TC-15, RT-16: what one organization deactivates is dead at once and all of it; for another it lives on', async () => {
  const { scenes, browser } = await twoOrganizations();
  const [here, there] = scenes;
  const held = async (scene: Scene) =>
    [
      await obtainCode(http, scene, flowOf(scene, browser)),
      await obtainTokens(http, scene, flowOf(scene, browser)),
    ] as const;
  const [ofHere, ofThere] = [await held(here), await held(there)];
  const cookies = Object.fromEntries(browser.cookies);
  const url = `/organizations/${here.organizationId}/addons/${here.clientId}/activation`;
  const deactivated = await http.app.inject({ method: 'DELETE', url, cookies });
  expect([deactivated.statusCode, deactivated.json().epoch]).toEqual([200, 1]);
  expect(await whatWorks(here, ...ofHere)).toEqual([401, 400, 400, false]);
  const again = await http.app.inject({ method: 'DELETE', url, cookies });
  expect([again.statusCode, again.json().position]).toEqual([200, deactivated.json().position]);
  expect(await whatWorks(there, ...ofThere)).toEqual([200, 200, 200, true]);
});

test('an add-on that was activated too often within a day has to wait: API and page say until when', async () => {
  const scene = await setScene(http, { name: 'Worn Hinge' });
  const { organizationId, clientId, userId: by } = scene;
  const at = Date.now();
  await wearOut(http, { organizationId, addonId: clientId, by }, at);
  const browser = await signedIn(http, scene);
  const url = `/organizations/${organizationId}/addons/${clientId}/activation`;
  const cookies = Object.fromEntries(browser.cookies);
  const ask = (method: 'PUT' | 'DELETE') =>
    http.app.inject({ method, url, cookies, headers: { origin: http.baseUrl } });
  const refused = await ask('PUT');
  expect(refused.statusCode).toBe(429);
  expect(refused.json()).toMatchObject({ type: `${http.baseUrl}/problems/activated-too-often` });
  const wait = Number(refused.headers['retry-after']);
  expect(wait).toBeGreaterThan(86_400 - 60);
  expect(wait).toBeLessThanOrEqual(86_400);
  expect((await ask('DELETE')).statusCode).toBe(200);

  await http.settle();
  const list = await browser.get(`/admin/organizations/${organizationId}`);
  const page = await browser.press(list, 'Activate Worn Hinge');
  expect(page.statusCode).toBe(429);
  expect(Number(page.headers['retry-after'])).toBeLessThanOrEqual(wait);
  expect(page.body).toMatch(/It can be activated again from \d+ \w+ \d{4} at \d\d:\d\d:\d\d UTC\./);
});
