import { afterAll, describe, expect, test } from 'vitest';
import { account } from '../../../src/http/account/plugin.ts';
import { admin } from '../../../src/http/admin/plugin.ts';
import { startPlugins } from '../../support/scenes/plugin-app.ts';
import { valueOf } from '../../support/outcomes.ts';
import { createUser, setScene, signedIn, type Scene } from '../../support/scenes/http-scene.ts';
import { formsOf, testBrowser, words } from '../../support/scenes/pages.ts';

const http = await startPlugins([account, admin]);
afterAll(() => http.close());

const browserOf = (email: string) => signedIn(http, { email });
const administrator = async () => {
  const scene = await setScene(http);
  return { scene, browser: await browserOf(scene.email) };
};
type Browser = Awaited<ReturnType<typeof signedIn>>;

const tokenIn = (html: string) => /mkt_admin_[\w-]+/.exec(html)?.[0] ?? '';
const fill = async (browser: Browser, fields: Record<string, string>) =>
  browser.press(await browser.get('/account/tokens/new'), 'Create token', fields);
const usual = ({ organizationId }: Scene) => ({
  name: 'Nightly audit',
  organization: organizationId,
  days: '7',
});
const callWith = ({ organizationId }: Scene, token: string) =>
  http.app.inject({
    url: `/organizations/${organizationId}/addons`,
    headers: { authorization: `Bearer ${token}` },
  });
const revokeUrl = (html: string) => /\/account\/tokens\/[0-9A-Z]{26}\/revoke/.exec(html)?.[0] ?? '';

describe('administrator tokens on the account page', () => {
  test('AC-04: an administrator makes one, sees it once, and it opens the organization', async () => {
    const { scene, browser } = await administrator();
    expect((await browser.get('/account')).body).toContain('href="/account/tokens/new"');
    const made = await fill(browser, usual(scene));
    expect(made.statusCode).toBe(200);
    expect(made.headers['cache-control']).toBe('no-store, no-transform');
    const token = tokenIn(made.body);
    expect((await callWith(scene, token)).statusCode).toBe(200);
    const account = await browser.get('/account');
    expect(account.body).not.toContain('mkt_admin_');
    expect(words(account.body)).toMatch(
      /Administrator tokens .* Nightly audit For Harbour Club \d+ today [\d:]+ \d+ \w+(?: \d+)? ⋯ Revoke/,
    );
    expect(account.body).toContain('aria-label="Revoke the token Nightly audit"');
    const [item] = await http.commands.listAdministratorTokens(scene.userId);
    expect((item?.expiresAt ?? 0) - (item?.issuedAt ?? 0)).toBe(7 * 86_400_000);
  });

  test('FX-90: one that somebody else made is shown with who made it, and one that a token made, too', async () => {
    const { scene, browser } = await administrator();
    const olive = await createUser(http, 'olive@example.com', [], { name: 'Olive', roles: ['operator'] });
    const makeBy = async (actor: string, tokenId: string | null) =>
      valueOf(
        await http.commands.issueAdministratorToken(
          { userId: scene.userId, organizationId: null, name: actor, days: 1, by: 'break-glass' },
          { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`, acting: { actor, tokenId } },
        ),
      );
    const { tokenId } = await makeBy(olive, null);
    await makeBy('break-glass', null);
    await makeBy(scene.userId, tokenId);
    const page = words((await browser.get('/account')).body);
    expect(page).toContain('· made by Olive');
    expect(page).toContain('· made by somebody on the servers of this service');
    expect(page.match(/ made by /g)).toHaveLength(2);
    expect(page.match(/ made with another token/g)).toHaveLength(1);
  });

  test('one for all organizations says so', async () => {
    const { scene, browser } = await administrator();
    const token = tokenIn((await fill(browser, { ...usual(scene), organization: 'all' })).body);
    expect((await callWith(scene, token)).statusCode).toBe(200);
    expect(words((await browser.get('/account')).body)).toContain(
      'Nightly audit For all organizations that you administer',
    );
  });

  test('revoking asks first, and ends it at once; twice there is nothing left to revoke', async () => {
    const { scene, browser } = await administrator();
    const token = tokenIn((await fill(browser, usual(scene))).body);
    const url = revokeUrl((await browser.get('/account')).body);
    const [asked, askedAgain] = [await browser.get(url), await browser.get(url)];
    expect(words(asked.body)).toContain('Revoke the token Nightly audit ?');
    expect((await callWith(scene, token)).statusCode).toBe(200);
    const revoked = await browser.press(asked, 'Revoke');
    expect(revoked.headers.location).toMatch(/^\/account\?revoked=[0-9A-Z]{26}$/);
    expect((await callWith(scene, token)).statusCode).toBe(401);
    const after = await browser.follow(revoked);
    expect(after.body).toContain('<title>Revoked: Your account');
    expect(after.body).not.toContain('Nightly audit');
    expect((await browser.press(askedAgain, 'Revoke')).statusCode).toBe(404);
    expect((await browser.get(url)).statusCode).toBe(404);
  });

  test('that one was revoked is said of none that lives', async () => {
    const { scene, browser } = await administrator();
    await fill(browser, usual(scene));
    const [item] = await http.commands.listAdministratorTokens(scene.userId);
    for (const said of [item?.tokenId ?? '', 'x', ''])
      expect((await browser.get(`/account?revoked=${said}`)).body).not.toContain('Revoked:');
  });

  test.each([
    [{ name: '' }, 'Give the token a name'],
    [{ name: 'x'.repeat(101) }, 'Give the token a name'],
    [{ days: '' }, 'Choose a number of days'],
    [{ days: '0' }, 'Choose a number of days'],
    [{ days: '366' }, 'Choose a number of days'],
    [{ days: '1e2' }, 'Choose a number of days'],
    [{ organization: '' }, 'Choose what the token is for'],
    [{ organization: 'x' }, 'You do not administer this organization'],
    [{ organization: '01JZZZZZZZZZZZZZZZZZZZZZZX' }, 'You do not administer this organization'],
  ])('a form with %j comes back with what is wrong, and makes nothing', async (change, message) => {
    const { scene, browser } = await administrator();
    const filled = { ...usual(scene), ...change };
    const answer = await fill(browser, filled);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('<title>Error: ');
    expect(words(answer.body)).toContain(message);
    expect(answer.body.match(/ autofocus/g)).toHaveLength(1);
    expect(formsOf(answer.body).find(({ fields }) => 'name' in fields)?.fields).toMatchObject({
      name: filled.name,
      days: filled.days,
    });
    expect(await http.commands.listAdministratorTokens(scene.userId)).toEqual([]);
  });

  test('a form that is sent twice makes one token, and more than are allowed are not made', async () => {
    const { scene, browser } = await administrator();
    const twice = [await fill(browser, usual(scene)), await fill(browser, usual(scene))];
    expect(twice.map(({ statusCode }) => statusCode)).toEqual([200, 400]);
    expect(twice[1]?.body).toContain('You have a token of this name');
    for (let count = 1; count < 20; count += 1)
      await fill(browser, { ...usual(scene), name: `number ${count}` });
    const last = await fill(browser, { ...usual(scene), name: 'one too many' });
    expect(words(last.body)).toContain('You have 20 tokens');
    expect(await http.commands.listAdministratorTokens(scene.userId)).toHaveLength(20);
  });

  test('AC-04: who administers nothing is offered none, and gets none', async () => {
    await createUser(http, 'nobody@harbour.example');
    const browser = await browserOf('nobody@harbour.example');
    const account = await browser.get('/account');
    expect(account.body).not.toContain('Administrator tokens');
    expect((await browser.get('/account/tokens/new')).statusCode).toBe(403);
    const { scene, browser: theirs } = await administrator();
    const csrf = formsOf(account.body).find(({ fields }) => 'csrf' in fields)?.fields['csrf'] ?? '';
    for (const organization of ['all', scene.organizationId]) {
      const answer = await browser.post('/account/tokens/new', { ...usual(scene), organization, csrf });
      expect([organization, answer.statusCode]).toEqual([organization, 403]);
    }
    await fill(theirs, usual(scene));
    const url = revokeUrl((await theirs.get('/account')).body);
    expect((await browser.get(url)).statusCode).toBe(404);
    expect((await browser.post(url, { csrf })).statusCode).toBe(404);
    expect(await http.commands.listAdministratorTokens(scene.userId)).toHaveLength(1);
  });

  test('AZ-40: without the form of this session nothing is made and nothing is ended', async () => {
    const { scene, browser } = await administrator();
    await fill(browser, usual(scene));
    const url = revokeUrl((await browser.get('/account')).body);
    for (const csrf of [{}, { csrf: '' }, { csrf: 'A'.repeat(43) }]) {
      const other = { ...usual(scene), name: 'Another', ...csrf };
      expect((await browser.post('/account/tokens/new', other)).statusCode).toBe(403);
      expect((await browser.post(url, csrf)).statusCode).toBe(403);
    }
    expect(await http.commands.listAdministratorTokens(scene.userId)).toHaveLength(1);
    const stranger = testBrowser(http.app);
    expect((await stranger.get('/account/tokens/new')).headers.location).toBe(
      '/sign-in?return_to=%2Faccount',
    );
  });
});
