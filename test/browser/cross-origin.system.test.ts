import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, launchChromium } from '../support/scenes/chromium.ts';
import { startClientScene } from '../support/scenes/client-scene.ts';
import { serve } from '../support/servers/serve.ts';
import { enterPassword } from './in-chromium.ts';

/** What a script on another origin gets to read: the status of the answer, or nothing. */
type Read = number | 'refused';

describe.skipIf(!hasChromium)('scripts of other origins in Chromium (needs /usr/bin/chromium)', async () => {
  if (!hasChromium) return;
  const scene = await startClientScene();
  const startPage = () =>
    serve((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>Elsewhere</title>');
    }, afterAll);
  /** The add-on's own origin, that of another add-on, and one that nobody has registered. */
  const [own, other, stranger] = [await startPage(), await startPage(), await startPage()];
  const { clientId } = await scene.register('none', { redirectUris: [`${own}/callback`] });
  await scene.register('none', { redirectUris: [`${other}/callback`] });

  let chrome: Browser;
  let pages: readonly Page[];
  beforeAll(async () => {
    chrome = await launchChromium();
    const context = await chrome.newContext();
    pages = [await context.newPage(), await context.newPage(), await context.newPage()];
    const origins = [own, other, stranger];
    await Promise.all(pages.map((page, index) => page.goto(origins[index] ?? '')));
  });
  afterAll(() => chrome?.close());

  const read = (path: string, sent: object = {}): Promise<readonly Read[]> =>
    Promise.all(pages.map((page) => readFrom(page, path, sent)));
  const arrived = (method: string, path: string) =>
    scene.http.lines.filter(({ fields }) => {
      const line = fields as { readonly method?: string; readonly path?: string };
      return line.method === method && line.path === path;
    }).length;

  const readFrom = (page: Page, path: string, sent: object): Promise<Read> =>
    page.evaluate<Read>(
      `fetch(${JSON.stringify(scene.issuer + path)}, ${JSON.stringify(sent)}).then((answer) => answer.status, () => 'refused')`,
    );

  const form = (fields: Record<string, string>, headers: object = {}) => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
  const refresh = { grant_type: 'refresh_token', refresh_token: 'mkt_rt_unknown' };
  const basic = (id: string) => ({ authorization: `Basic ${Buffer.from(`${id}:`).toString('base64')}` });

  test('MD-07: everybody reads the metadata and the keys', async () => {
    expect(await read('/.well-known/openid-configuration')).toEqual([200, 200, 200]);
    expect(await read('/.well-known/oauth-authorization-server')).toEqual([200, 200, 200]);
    expect(await read('/oauth/jwks')).toEqual([200, 200, 200]);
  });

  test('UI-01, UI-03: everybody may send a token to userinfo, and reads why it is refused', async () => {
    const headers = { authorization: 'Bearer mkt_at_unknown' };
    expect(await read('/oauth/userinfo', { headers })).toEqual([401, 401, 401]);
    expect(arrived('OPTIONS', '/oauth/userinfo')).toBe(3);
    const cookies = { headers, credentials: 'include' };
    expect(await read('/oauth/userinfo', cookies)).toEqual(['refused', 'refused', 'refused']);
  });

  test('TK-11: the origins of an add-on read what its tokens cost, no other origin does', async () => {
    const sent = form({ ...refresh, client_id: clientId });
    expect(await read('/oauth/token', sent)).toEqual([400, 'refused', 'refused']);
    expect(await read('/oauth/token', { ...sent, credentials: 'include' })).toEqual([
      'refused',
      'refused',
      'refused',
    ]);
    const given = form({ token: 'mkt_rt_unknown', client_id: clientId });
    expect(await read('/oauth/revoke', given)).toEqual([200, 'refused', 'refused']);
  });

  test('TK-11: a preflight lets registered origins alone through', async () => {
    const before = arrived('POST', '/oauth/token');
    const sent = form(refresh, basic(clientId));
    expect(await read('/oauth/token', sent)).toEqual([400, 'refused', 'refused']);
    expect(arrived('POST', '/oauth/token') - before).toBe(2); // the stranger's never left the browser
  });

  test('AZ-42: nobody reads authorize or introspect, nor what a person may do, signed in or not', async () => {
    const nobody = ['refused', 'refused', 'refused'];
    const authorize = `/oauth/authorize?client_id=${clientId}`;
    expect(await read(authorize)).toEqual(nobody);
    expect(await read(authorize, { credentials: 'include' })).toEqual(nobody);
    expect(await read('/oauth/introspect', form({ token: 'x', client_id: clientId }))).toEqual(nobody);
    expect(await read('/admin', { credentials: 'include' })).toEqual(nobody);
  });

  test('AC-04: a script of another origin on the same site, which brings the cookie, changes nothing', async () => {
    const { organizationId } = scene;
    const { clientId: addonId } = await scene.register('none', { configurationUrl: `${own}/configure` });
    const page = await chrome.newPage();
    await page.goto(`${scene.issuer}/sign-in`);
    await enterPassword(page, scene.email);
    await page.waitForURL((url) => url.pathname !== '/sign-in');
    const activation = `/organizations/${organizationId}/addons/${addonId}/activation`;
    const activate = { method: 'PUT', credentials: 'include' };
    await page.goto(own);
    expect(await readFrom(page, activation, activate)).toBe('refused');
    const { status } = await scene.http.commands.showActivation(organizationId, addonId);
    expect(status).toBe('never-activated');
  });
});
