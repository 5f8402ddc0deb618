import { afterAll, expect, test } from 'vitest';
import { admin } from '../../../../src/http/admin/plugin.ts';
import { authorize } from '../../../../src/http/oauth/authorize/plugin.ts';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { session } from '../../../../src/http/session/plugin.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import {
  activate,
  authorizeUrl,
  exchange,
  obtainCode,
  obtainTokens,
  password,
  redirectUri,
  refreshWith,
  setScene,
} from '../../../support/scenes/http-scene.ts';
import { testBrowser } from '../../../support/scenes/pages.ts';

const http = await startPlugins([admin, authorize, session, tokenEndpoints]);
afterAll(() => http.close());

const scene = async () => {
  const set = await setScene(http);
  await activate(http, set);
  const browser = testBrowser(http.app);
  const signIn = await browser.get(authorizeUrl(set));
  return { ...set, browser, signIn };
};
const atApproval = async () => {
  const set = await scene();
  const { browser, signIn, email } = set;
  const approval = await browser.follow(await browser.press(signIn, 'Sign in', { email, password }));
  return { ...set, approval };
};
const removeAddress = (addonId: string) =>
  http.commands.updateAddon({
    addonId,
    addRedirectUris: ['https://addon.example/new'],
    removeRedirectUris: [redirectUri],
  });
const removeScope = (addonId: string) =>
  http.commands.updateAddon({ addonId, scopes: ['profiles:read', 'reservations:read'] });
const errorIn = (location: unknown) => new URL(String(location)).searchParams.get('error');

test('AM-12: a browser that waits at the sign-in page is not sent to a removed redirect URI', async () => {
  const { browser, signIn, email, clientId } = await scene();
  await removeAddress(clientId);
  const answer = await browser.follow(await browser.press(signIn, 'Sign in', { email, password }));
  expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined]);
  expect(answer.body).toContain('This link is no longer valid');
});

test('AM-12: a browser that waits at the approval page is not, whatever is pressed', async () => {
  for (const button of ['Allow', 'Do not allow']) {
    const { browser, approval, clientId } = await atApproval();
    await removeAddress(clientId);
    const answer = await browser.press(approval, button);
    expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined]);
  }
});

test('AM-12: a new request to a removed redirect URI is refused on a page', async () => {
  const { browser, clientId } = await scene();
  await removeAddress(clientId);
  const answer = await browser.get(authorizeUrl({ clientId }));
  expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined]);
});

test('AM-12: an approval with a removed scope is refused, and nothing of it is remembered', async () => {
  const { browser, approval, clientId, organizationId } = await atApproval();
  await removeScope(clientId);
  const answer = await browser.press(approval, 'Allow');
  expect(errorIn(answer.headers.location)).toBe('invalid_scope');
  expect((await http.store.read(`consent-${organizationId}.${clientId}`)).events).toEqual([]);
});

test('AM-12: an issued code is not exchanged after its redirect URI or a scope was removed; a grant goes on', async () => {
  for (const remove of [removeAddress, removeScope]) {
    const set = await setScene(http);
    await activate(http, set);
    const tokens = await obtainTokens(http, set);
    const code = await obtainCode(http, set);
    await remove(set.clientId);
    const answer = await exchange(http, set, code);
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([400, 'invalid_grant']);
    expect((await refreshWith(http, set, tokens.refresh_token)).statusCode).toBe(200);
  }
});

test('PG-07: the sign-in page shows the logo and name of the add-on that sent the person, after a wrong password too', async () => {
  const { clientId, browser, email, ...set } = await scene();
  const logo = { mediaType: 'image/png', data: 'iVBORw0KGgoAAAA=' } as const;
  await http.commands.updateAddon({ addonId: clientId, logo });
  const first = await browser.get(authorizeUrl({ ...set, clientId }));
  const again = await browser.press(first, 'Sign in', { email, password: 'wrong' });
  expect([first.statusCode, again.statusCode]).toEqual([200, 401]);
  for (const { body, headers } of [first, again]) {
    expect(body).toContain(`<img class="logo" src="data:image/png;base64,${logo.data}"`);
    expect(body).toContain('<bdi>Door Sync</bdi>');
    expect(headers['content-security-policy']).toContain('img-src data:');
  }
});

test('AM-12: the approval page and the add-on page show publisher, addresses and logo, and that it is retired', async () => {
  const { clientId, organizationId, browser, signIn, email } = await scene();
  const logo = { mediaType: 'image/png', data: 'iVBORw0KGgoAAAA=' } as const;
  await http.commands.updateAddon({
    addonId: clientId,
    publisher: 'Doors & Sons',
    website: 'https://doors.example/',
    privacyUrl: 'https://doors.example/privacy',
    supportUrl: 'https://doors.example/help',
    logo,
  });
  await http.settle();
  const approval = await browser.follow(await browser.press(signIn, 'Sign in', { email, password }));
  const addonPage = `/admin/organizations/${organizationId}/addons/${clientId}`;
  const shown = [
    'href="https://doors.example/"',
    'href="https://doors.example/privacy"',
    'href="https://doors.example/help"',
    `src="data:image/png;base64,${logo.data}" alt=""`,
  ];
  for (const [page, parts] of [
    [approval, ['>Privacy<', '>Support<']],
    [await browser.get(addonPage), ['<dt>Privacy</dt>', '<dt>Support</dt>']],
  ] as const) {
    expect(page.body).toContain('by <strong><bdi>Doors &amp; Sons</bdi></strong>');
    expect(page.headers['content-security-policy']).toContain('img-src data:');
    for (const part of [...shown, ...parts]) expect(page.body).toContain(part);
  }
  const organizationPage = `/admin/organizations/${organizationId}`;
  const inList = (await browser.get(organizationPage)).body;
  expect(inList).toContain('<bdi class="name">Doors &amp; Sons</bdi>');

  await http.store.append(`addon-${clientId}`, 1n, [{ event: { type: 'AddonRetired', data: { at: 1 } } }]);
  await http.settle();
  expect((await browser.get(organizationPage)).body).toContain('Retired');
  expect((await browser.press(approval, 'Allow')).body).toContain('This add-on is retired');
  const again = await browser.get(authorizeUrl({ clientId }));
  expect([again.statusCode, again.headers.location]).toEqual([400, undefined]);
});
