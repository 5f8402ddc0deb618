import { afterAll, describe, expect, test } from 'vitest';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  createUser,
  obtainTokens,
  setScene,
  signedIn,
  type Scene,
} from '../../support/scenes/http-scene.ts';
import { testBrowser, type TestBrowser } from '../../support/scenes/pages.ts';

const browserOf = (email: string) => signedIn(http, { email });

const http = await startHttpApp();
const scene = await setScene(http, { name: 'Gate Keeper' });
await setScene(http, { name: 'Only For Users', configurationUrl: null });
await createUser(http, 'stranger@harbour.example');
const ada = await browserOf(scene.email);
const stranger = await browserOf('stranger@harbour.example');
afterAll(() => http.close());

type Method = 'GET' | 'PUT' | 'DELETE';
const call = (browser: TestBrowser, method: Method, url: string, headers: Record<string, string> = {}) =>
  http.app.inject({ method, url, cookies: Object.fromEntries(browser.cookies), headers });
const addonsUrl = ({ organizationId }: Scene) => `/organizations/${organizationId}/addons`;
const activationUrl = (of: Scene, clientId = of.clientId) => `${addonsUrl(of)}/${clientId}/activation`;
const problem = async (answering: ReturnType<typeof call>) => {
  const answer = await answering;
  return [answer.statusCode, answer.json().type.replace(/.*\//, '')];
};
const nobody = '01JZZZZZZZZZZZZZZZZZZZZZZX';

describe('the JSON API', () => {
  test('an administrator activates, sees it, and deactivates; twice is the same as once (DE-05)', async () => {
    const theirs = await setScene(http, { name: 'Tide Clock' });
    const browser = await browserOf(theirs.email);
    const url = activationUrl(theirs);
    const ids = { organization_id: theirs.organizationId, client_id: theirs.clientId };
    const unused = { ...ids, status: 'never-activated', epoch: 0 };
    expect((await call(browser, 'GET', url)).json()).toMatchObject(unused);
    const activated = {
      ...ids,
      status: 'active',
      epoch: 1,
      position: expect.stringMatching(/^\d+\/\d+$/),
      configuration_url: expect.stringMatching(
        /^https:\/\/addon\.example\/configure\?from=grantbook&activation_hint=[\w-]{22}&organization=[0-9A-Z]{26}$/,
      ),
    };
    expect((await call(browser, 'PUT', url)).json()).toEqual(activated);
    expect((await call(browser, 'PUT', url)).json()).toEqual(activated);
    const listed = await call(browser, 'GET', addonsUrl(theirs));
    const shown = { client_id: theirs.clientId, name: 'Tide Clock', status: 'active', epoch: 1 };
    expect(listed.json().items).toContainEqual(expect.objectContaining(shown));
    const deactivated = {
      ...ids,
      status: 'deactivated',
      epoch: 1,
      position: expect.stringMatching(/^\d+\/\d+$/),
      fenced_at: expect.stringMatching(/^\d{4}-.*Z$/),
      // null when it was not known in time
      live_grants: expect.toSatisfy((count) => count === 0 || count === null),
      unredeemed_codes: expect.toSatisfy((count) => count === 0 || count === null),
      approvers: expect.toSatisfy((count) => count === 0 || count === null),
    };
    expect((await call(browser, 'DELETE', url)).json()).toEqual(deactivated);
    expect((await call(browser, 'DELETE', url)).json()).toEqual(deactivated);
    expect((await call(browser, 'GET', url)).json()).toMatchObject({ status: 'deactivated', epoch: 1 });
  });

  test('AC-04: nobody without a session, and no one who does not administer the organization, alike for one that does not exist', async () => {
    const none = testBrowser(http.app);
    const attempts = [
      ['GET', addonsUrl(scene)],
      ['GET', activationUrl(scene)],
      ['PUT', activationUrl(scene)],
      ['DELETE', activationUrl(scene)],
    ] as const;
    for (const [method, url] of attempts) {
      expect(await problem(call(none, method, url))).toEqual([401, 'sign-in-required']);
      expect(await problem(call(stranger, method, url))).toEqual([403, 'not-an-administrator']);
    }
    const { status } = await http.commands.showActivation(scene.organizationId, scene.clientId);
    expect(status).toBe('never-activated');
    const missing = addonsUrl({ ...scene, organizationId: nobody });
    expect(await problem(call(ada, 'GET', missing))).toEqual([403, 'not-an-administrator']);
  });

  test('what cannot be activated or deactivated is refused with its reason', async () => {
    for (const method of ['GET', 'PUT', 'DELETE'] as const)
      expect(await problem(call(ada, method, activationUrl(scene, nobody)))).toEqual([404, 'addon-unknown']);
    const forUsers = await setScene(http, { configurationUrl: null });
    expect(await problem(call(ada, 'PUT', activationUrl(scene, forUsers.clientId)))).toEqual([
      409,
      'configuration-url-missing',
    ]);
    const suspended = await setScene(http);
    await http.commands.suspendAddon(suspended.clientId);
    expect(await problem(call(ada, 'PUT', activationUrl(scene, suspended.clientId)))).toEqual([
      409,
      'activation-refused-while-suspended',
    ]);
    expect(await problem(call(ada, 'DELETE', activationUrl(scene, suspended.clientId)))).toEqual([
      404,
      'never-activated',
    ]);
  });

  test.each([
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ origin: 'http://127.0.0.1:8081' }],
  ])('AZ-40: a change that comes from %j is refused', async (headers) => {
    for (const method of ['PUT', 'DELETE'] as const)
      expect(await problem(call(ada, method, activationUrl(scene), headers))).toEqual([403, 'other-origin']);
  });

  test('an own page may change it', async () => {
    const headers = { origin: http.baseUrl, 'sec-fetch-site': 'same-origin' };
    expect((await call(ada, 'PUT', activationUrl(scene), headers)).statusCode).toBe(200);
    expect((await call(ada, 'DELETE', activationUrl(scene), headers)).statusCode).toBe(200);
  });
});

describe('the pages', () => {
  test('AC-04: the start page names the own organizations only, and others answer 403', async () => {
    expect((await ada.get('/admin')).body).toContain(scene.organizationId);
    expect((await stranger.get('/admin')).body).not.toContain(scene.organizationId);
    const theirs = await stranger.get(`/admin/organizations/${scene.organizationId}`);
    expect(theirs.statusCode).toBe(403);
    expect(theirs.body).not.toContain('Gate Keeper');
  });

  test('AC-01: activating sends the browser on with 303; AC-02: without configuration URL there is no button', async () => {
    const list = `/admin/organizations/${scene.organizationId}`;
    const page = await ada.get(`${list}?list=available`);
    const answer = await ada.press(await ada.get(`${list}?list=deactivated`), 'Activate Gate Keeper');
    expect(answer.statusCode).toBe(303);
    expect(answer.headers.location).toMatch(/^https:\/\/addon\.example\/configure\?.*activation_hint=/);
    expect(page.body).not.toContain('Activate Only For Users');
    expect(page.body).toContain('Only for individual users');
  });

  test('a click shows on the next page at once, with the number of grants', async () => {
    const theirs = await setScene(http, { name: 'Mooring Map' });
    const browser = await browserOf(theirs.email);
    const page = `/admin/organizations/${theirs.organizationId}`;
    await browser.press(await browser.get(page), 'Activate Mooring Map');
    await obtainTokens(http, theirs, { browser });
    await http.settle();
    expect((await browser.get(page)).body).toMatch(/Active \(1\).*?Mooring Map.*?number-cell[^>]*>1</s);
    const confirm = await browser.get(`${page}/addons/${theirs.clientId}/deactivate`);
    await browser.press(confirm, 'Deactivate');
    expect((await browser.get(page)).body).toMatch(/Deactivated \(1\).*?Mooring Map.*?by <bdi>Ada Ahoi/s);
  });

  test('PG-04: the heads of a list of add-ons sort it, and keep the tab and the search', async () => {
    const theirs = await setScene(http, { name: 'Pier 10' });
    const browser = await browserOf(theirs.email);
    await activate(http, theirs);
    for (const name of ['Pier 9', 'Pier 8', ...Array.from({ length: 8 }, (_, n) => `Berth ${n}`)]) {
      const { clientId } = await setScene(http, { name });
      if (!name.startsWith('Pier')) continue;
      await activate(http, { ...theirs, clientId });
      if (name === 'Pier 9') await obtainTokens(http, { ...theirs, clientId }, { browser });
    }
    await http.settle();
    const list = `/admin/organizations/${theirs.organizationId}`;
    const get = async (query: string) => (await browser.get(list + query)).body;
    const linkIn = (body: string, label: string) =>
      new RegExp(`href="${list}([^"]*)">${label}(?:<| <)`).exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const namesIn = (body: string) =>
      [...body.matchAll(/<div class="line"[^>]*><a [^>]*><bdi[^>]*>([^<]*)</g)].map(([, name]) => name);
    const usual = await get('?search=pier');
    expect(namesIn(usual)).toEqual(['Pier 8', 'Pier 9', 'Pier 10']);
    expect(usual).toMatch(/>Active \(3\)<[^]*>Available \(0\)<[^]*>Deactivated \(0\)</);
    expect(linkIn(usual, 'Grants')).toBe('?list=active&search=pier&sort=live_grants');
    const down = await get(linkIn(usual, 'Add-on'));
    expect(namesIn(down)).toEqual(['Pier 10', 'Pier 9', 'Pier 8']);
    expect(down).toMatch(/aria-sort="descending"><a [^>]*>Add-on <span aria-hidden="true">↓</);
    expect(down).toContain('<input type="hidden" name="sort" value="-name">');
    expect(linkIn(down, 'Add-on')).toBe('?list=active&search=pier');
    expect(linkIn(down, 'Available \\(0\\)')).toBe('?list=available&search=pier&sort=-name');
    const latest = ['Pier 9', 'Pier 8', 'Pier 10'];
    expect(namesIn(await get(linkIn(down, 'Last token')))).toEqual(latest);
    expect(namesIn(await get('?search=pier&sort=-live_grants'))).toEqual(latest);
    for (const unknown of ['constructor', '-', '__proto__', 'name&sort=-name'])
      expect(namesIn(await get(`?search=pier&sort=${unknown}`))).toEqual(namesIn(usual));
  });

  test('AZ-40: without the form of this session nothing is changed', async () => {
    const place = `/admin/organizations/${scene.organizationId}/addons/${scene.clientId}`;
    const before = await http.commands.showActivation(scene.organizationId, scene.clientId);
    for (const fields of [{}, { csrf: '' }, { csrf: 'A'.repeat(43) }])
      for (const url of [`${place}/activate`, `${place}/deactivate`])
        expect((await ada.post(url, fields)).statusCode).toBe(403);
    expect(await http.commands.showActivation(scene.organizationId, scene.clientId)).toEqual(before);
  });

  test('a refused click says why', async () => {
    const theirs = await setScene(http, { name: 'Lost Buoy' });
    const browser = await browserOf(theirs.email);
    const page = await browser.get(`/admin/organizations/${theirs.organizationId}`);
    await http.commands.suspendAddon(theirs.clientId);
    const shown = await browser.follow(await browser.press(page, 'Activate Lost Buoy'));
    expect(shown.body).toMatch(/role="alert">The add-on is suspended, so it cannot be activated</);
  });

  test('the stylesheet may be kept permanently; every page links to it', async () => {
    const href = /href="(\/assets\/[^"]+)"/.exec((await ada.get('/admin')).body)?.[1] ?? '';
    const answer = await http.app.inject({ url: href });
    expect(answer.headers['content-type']).toBe('text/css; charset=utf-8');
    expect(answer.headers['cache-control']).toContain('immutable');
  });
});
