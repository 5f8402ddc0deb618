import type { LightMyRequestResponse } from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { english } from '../../../src/common/words.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  authorizeUrl,
  createUser,
  exchange,
  obtainCode,
  password,
  returned,
  setScene,
  signedIn,
} from '../../support/scenes/http-scene.ts';
import { forgetCookie, formsOf, testBrowser, type TestBrowser, words } from '../../support/scenes/pages.ts';
import { cookieOf, nameOfCookie } from '../../support/scenes/our-cookies.ts';

const minutes = 60_000;
const hours = 60 * minutes;
const http = await startHttpApp({ lifetimes: { session: 100 * hours } });
const scene = await setScene(http);
afterAll(() => http.close());

let people = 0;
const newcomer = async () => {
  people += 1;
  const email = `newcomer${people}@refused.example`;
  const userId = await createUser(http, email, [scene.organizationId]);
  const browser = await signedIn(http, { email });
  await http.settle();
  return { browser, email, userId };
};
/** The link of a page with a message, and its label. */
const linkOn = ({ body }: LightMyRequestResponse): readonly [href: string, label: string] => {
  const [, href = '', label = ''] = /<a class="button[^"]*" href="([^"]*)">([^<]*)<\/a>/.exec(body) ?? [];
  return [href.replaceAll('&amp;', '&'), label];
};
/** Goes on by the link of the page, signs in if asked, and allows the add-on what it asked for. */
const goOn = async (browser: TestBrowser, refused: LightMyRequestResponse, email: string) => {
  const [href, label] = linkOn(refused);
  expect(label).toBe('Continue to the add-on');
  const page = await browser.get(href);
  const next = page.body.includes('name="password"')
    ? await browser.follow(await browser.press(page, 'Sign in', { email, password }))
    : page;
  const { code = '', state } = returned(next.statusCode === 303 ? next : await browser.press(next, 'Allow'));
  expect(state).toBe('st+&=%#');
  expect((await exchange(http, scene, code)).statusCode).toBe(200);
};

describe('FX-21: a form on the way to an add-on that cannot be used says why, and leads back to its request', () => {
  test.each(['Allow', 'Do not allow', 'Not you?'])(
    '"%s" after ten minutes: it is too old',
    async (button) => {
      const { browser, email } = await newcomer();
      const page = await browser.get(authorizeUrl(scene));
      http.advance(10 * minutes);
      const refused = await browser.press(page, button);
      expect(refused.statusCode).toBe(400);
      expect(words(refused.body)).toContain('The form is too old.');
      await goOn(browser, refused, email);
    },
  );

  test('the sign-in page after ten minutes', async () => {
    const { email } = await newcomer();
    const browser = testBrowser(http.app);
    const page = await browser.get(authorizeUrl(scene));
    http.advance(10 * minutes);
    const refused = await browser.press(page, 'Sign in', { email, password });
    expect(words(refused.body)).toContain('The form is too old.');
    await goOn(browser, refused, email);
  });

  test('its session has ended, or another user has signed in', async () => {
    const { browser, email } = await newcomer();
    const page = await browser.get(authorizeUrl(scene));
    await browser.press(await browser.get('/sign-out'), 'Sign out');
    const refused = await browser.press(page, 'Allow');
    expect(words(refused.body)).toContain('The session of this form has ended.');
    await goOn(browser, refused, email);

    const second = await newcomer();
    const theirs = await second.browser.get(authorizeUrl(scene));
    forgetCookie(second.browser, 'grantbook_session');
    await second.browser.signIn(email, password);
    const other = await second.browser.press(theirs, 'Allow');
    expect(words(other.body)).toContain('The session of this form has ended.');
    await goOn(second.browser, other, email);
  });

  test('it was sent before', async () => {
    const { browser, email } = await newcomer();
    const page = await browser.get(authorizeUrl(scene));
    await browser.press(page, 'Do not allow');
    const refused = await browser.press(page, 'Allow');
    expect(words(refused.body)).toContain('This form has been sent before.');
    await goOn(browser, refused, email);
  });

  test('it was opened in another browser', async () => {
    const page = await (await newcomer()).browser.get(authorizeUrl(scene));
    const { browser, email } = await newcomer();
    const refused = await browser.press(page, 'Allow');
    expect(words(refused.body)).toContain('This form was opened in another browser');
    await goOn(browser, refused, email);
  });

  test('pages that were opened at the same moment, in two tabs, can both be sent', async () => {
    const { email } = await newcomer();
    const open = async (tries: number): Promise<readonly [TestBrowser, ...LightMyRequestResponse[]]> => {
      const browser = testBrowser(http.app);
      const pages = await Promise.all([browser.get(authorizeUrl(scene)), browser.get('/sign-in')]);
      // One pair in 64 has the same cookie.
      return browser.cookies.size < 3 && tries > 0 ? open(tries - 1) : [browser, ...pages];
    };
    const [browser, ...pages] = await open(5);
    for (const page of pages)
      expect((await browser.press(page, 'Sign in', { email, password })).statusCode).toBe(303);
  });

  test.each(['(', ';', '=', '\0', '\u{1f600}'])(
    'a cookie with %j, which is no id of a form, changes nothing',
    async (other) => {
      const { email } = await newcomer();
      const browser = testBrowser(http.app);
      const page = await browser.get('/sign-in');
      browser.cookies.set(nameOfCookie(browser, 'pending'), `${cookieOf(browser, 'pending')}.${other}`);
      const signedIn = await browser.press(page, 'Sign in', { email, password });
      expect(signedIn.statusCode).toBe(303);
      const names = signedIn.cookies.map(({ name }) => name);
      expect(names.filter((name) => !/^[\w-]+$/.test(name))).toEqual([]);
    },
  );

  test('an add-on that sends its request by a form from its own site takes no other page away', async () => {
    const { browser } = await newcomer();
    const page = await browser.get(authorizeUrl(scene));
    const withoutCookies = testBrowser(http.app);
    await withoutCookies.post(authorizeUrl(scene), {});
    for (const [name, value] of withoutCookies.cookies) browser.cookies.set(name, value);
    expect(returned(await browser.press(page, 'Allow'))).toHaveProperty('code');
  });

  test('its answer is incomplete', async () => {
    const { browser, email } = await newcomer();
    const page = await browser.get(authorizeUrl(scene));
    const refused = await browser.press(page, 'Allow', { decision: 'perhaps' });
    expect(words(refused.body)).toContain('The form was not complete.');
    await goOn(browser, refused, email);
  });

  test('the add-on sends the browser too often: the page leads back to it', async () => {
    const { browser } = await newcomer();
    await obtainCode(http, scene, { browser });
    let answer = await browser.get(authorizeUrl(scene));
    for (let time = 0; answer.statusCode === 303 && time < 100; time += 1)
      answer = await browser.get(authorizeUrl(scene));
    expect(answer.statusCode).toBe(429);
    const [href, label] = linkOn(answer);
    expect(label).toBe('Back to addon.example');
    expect(href).toContain('https://addon.example/cb?x=1&error=temporarily_unavailable&');
    expect(new URL(href).searchParams.get('state')).toBe('st+&=%#');
  });
});

const tokenForm = async (browser: TestBrowser) => {
  const form = formsOf((await browser.get('/account/tokens/new')).body).find(({ action }) =>
    action.endsWith('/new'),
  );
  return { ...form?.fields, name: 'Backup', organization: scene.organizationId, days: '30' };
};

describe('FX-21: a form of a session', () => {
  test('that is too old, of another session or incomplete says so, and leads to its page', async () => {
    const { browser, email, userId } = await newcomer();
    const fields = await tokenForm(browser);
    http.advance(12 * hours);
    const old = await browser.post('/account/tokens/new', fields);
    expect(old.statusCode).toBe(403);
    expect(words(old.body)).toContain('The form is too old.');
    expect(linkOn(old)).toEqual(['/account', 'Open the page again']);

    const newer = await tokenForm(browser);
    forgetCookie(browser, 'grantbook_session');
    await browser.signIn(email, password);
    const other = await browser.post('/account/tokens/new', newer);
    expect(other.statusCode).toBe(403);
    expect(words(other.body)).toContain('The session of this form has ended.');
    const malformed = await browser.post('/account/tokens/new', { ...newer, csrf: '' });
    expect(words(malformed.body)).toContain('The link or the form was not complete.');
    expect(linkOn(malformed)[0]).toBe('/account');
    expect(await http.commands.listAdministratorTokens(userId)).toEqual([]);
  });

  test.each([
    ['/account/tokens/new', '/account'],
    ['/account/password', '/account'],
    ['/admin/organizations/{organization}/addons/{addon}/activate', '/admin/organizations/{organization}'],
    ['/operator/organizations/create', '/operator/organizations'],
  ])(
    '%s: an ended session leads to the sign-in page, and then the page says that nothing was changed',
    async (path, backTo) => {
      const place = (text: string) =>
        text.replace('{organization}', scene.organizationId).replace('{addon}', scene.clientId);
      const email = `olive${(people += 1)}@refused.example`;
      await createUser(http, email, [scene.organizationId], { roles: ['operator'] });
      const browser = await signedIn(http, { email });
      await http.settle();
      const fields = await tokenForm(browser);
      forgetCookie(browser, 'grantbook_session');
      const answer = await browser.post(place(path), fields);
      const returnTo = encodeURIComponent(`${place(backTo)}?problem=session-ended`);
      expect(answer.headers.location).toBe(`/sign-in?return_to=${returnTo}`);
      const page = await browser.follow(answer);
      const after = await browser.follow(await browser.press(page, 'Sign in', { email, password }));
      expect(words(after.body)).toContain(english.account.sessionEnded);
    },
  );
});
