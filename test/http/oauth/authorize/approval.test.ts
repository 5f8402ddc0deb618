import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admin } from '../../../../src/http/admin/plugin.ts';
import { authorize } from '../../../../src/http/oauth/authorize/plugin.ts';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { session } from '../../../../src/http/session/plugin.ts';
import { valueOf } from '../../../support/outcomes.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import {
  activate,
  authorizeUrl,
  createUser,
  deactivate,
  exchange,
  obtainCode,
  password,
  returned,
  setScene,
  signedIn,
  type Scene,
  type Tokens,
} from '../../../support/scenes/http-scene.ts';
import {
  forgetCookie,
  formsOf,
  testBrowser,
  type TestBrowser,
  words,
} from '../../../support/scenes/pages.ts';
import { cookieOf } from '../../../support/scenes/our-cookies.ts';

const http = await startPlugins([admin, authorize, session, tokenEndpoints]);
afterAll(() => http.close());

let people = 0;
const newcomer = async () => {
  people += 1;
  const email = `visitor${people}@harbour.example`;
  await createUser(http, email);
  return { email, browser: await signedIn(http, { email }) };
};

test('PG-08: the page says whether the platform has verified the add-on, in the language of the reader', async () => {
  const scene = await setScene(http);
  const { browser } = await newcomer();
  const shown = async (language: string) =>
    words((await browser.get(authorizeUrl(scene), { 'accept-language': language })).body);
  expect(await shown('en')).toContain('Not verified by Grantbook · Registered since');
  expect(await shown('de')).toContain('Von Grantbook nicht geprüft · Registriert seit');
  await http.commands.updateAddon({ addonId: scene.clientId, verified: true });
  expect(await shown('en')).toContain('Verified by Grantbook · Registered since');
  expect(await shown('de')).toContain('Von Grantbook geprüft · Registriert seit');
});

describe('"Not you?"', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await setScene(http);
  });

  test('signs out, asks who it is, and goes on with the same authorization as the new user', async () => {
    const { email, browser } = await newcomer();
    const cookie = cookieOf(browser, 'session') ?? '';
    const page = await browser.get(authorizeUrl(scene));
    expect(words(page.body)).toContain(`Signed in as Ada Ahoi ( ${email} )`);
    const form = await browser.follow(await browser.press(page, 'Not you?'));
    expect(form.body).toContain('name="password"');
    expect(form.body).toContain('Door Sync');
    expect(await http.commands.readSession(cookie)).toBeNull();
    expect(cookieOf(browser, 'session')).toBeUndefined();

    const another = await newcomer();
    const approval = await browser.follow(
      await browser.press(form, 'Sign in', { email: another.email, password }),
    );
    expect(words(approval.body)).toContain(another.email);
    const back = returned(await browser.press(approval, 'Allow'));
    expect(back['state']).toBe('st+&=%#');
    expect((await exchange(http, scene, back['code'] ?? '')).statusCode).toBe(200);
  });

  test('AZ-40: the approval that was shown is dead afterwards, even for the same user', async () => {
    const { email, browser } = await newcomer();
    const page = await browser.get(authorizeUrl(scene));
    await browser.press(page, 'Not you?');
    await browser.signIn(email, password);
    const answer = await browser.press(page, 'Allow');
    expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined]);
    await browser.press(page, 'Not you?');
    expect(cookieOf(browser, 'session')).toBeDefined();
  });

  test('AZ-40: nobody is signed out by a forged form, by another browser, or by the form of another user', async () => {
    const { browser } = await newcomer();
    const victim = await newcomer();
    const theirs = await victim.browser.get(authorizeUrl(scene));
    const signed = formsOf(theirs.body)[0]?.fields['interaction'] ?? '';
    const unshown = formsOf((await browser.get(authorizeUrl(scene, { prompt: 'login' }))).body)[0];
    const forms = ['', 'x.y', signed, unshown?.fields['interaction'] ?? ''];
    for (const interaction of forms)
      expect((await browser.post('/oauth/authorize/another-user', { interaction })).statusCode).toBe(400);
    expect((await browser.get('/admin')).statusCode).toBe(200);

    const shared = victim.browser;
    forgetCookie(shared, 'grantbook_session');
    await shared.signIn((await newcomer()).email, password);
    expect((await shared.press(theirs, 'Not you?')).statusCode).toBe(400);
    expect((await shared.get('/admin')).statusCode).toBe(200);
  });

  test('AZ-34: with prompt=login it works as well, and the new user has to sign in', async () => {
    const { email, browser } = await newcomer();
    const form = await browser.get(authorizeUrl(scene, { prompt: 'login' }));
    const page = await browser.follow(await browser.press(form, 'Sign in', { email, password }));
    const again = await browser.follow(await browser.press(page, 'Not you?'));
    const another = await newcomer();
    const next = await browser.press(again, 'Sign in', { email: another.email, password });
    expect(words((await browser.follow(next)).body)).toContain(another.email);
  });

  test('GET is not offered, so that no link signs anybody out', async () => {
    const answer = await http.app.inject({ url: '/oauth/authorize/another-user' });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'POST']);
  });
});

describe('login_hint', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await setScene(http);
  });
  const emailField = async (change: Record<string, string>, browser = testBrowser(http.app)) =>
    formsOf((await browser.get(authorizeUrl(scene, change))).body)[0]?.fields['email'];

  test('fills in the e-mail address; what is no address is left out', async () => {
    expect(await emailField({ login_hint: 'Ben@harbour.example' })).toBe('Ben@harbour.example');
    for (const login_hint of [
      '+49 170 123',
      'x'.repeat(300),
      `"><script>@x.example`,
      `${'a'.repeat(250)}@b.example`,
    ])
      expect(await emailField({ login_hint })).toBe('');
  });

  test('AZ-34: asked to sign in again, the user need not type the address again', async () => {
    const { email, browser } = await newcomer();
    expect(await emailField({ prompt: 'login' }, browser)).toBe(email);
    expect(await emailField({ prompt: 'login', login_hint: 'ben@harbour.example' }, browser)).toBe(
      'ben@harbour.example',
    );
  });

  test('FX-23: prompt=select_account asks which account to use, also a user who is signed in', async () => {
    const { browser } = await newcomer();
    const other = await newcomer();
    const change = { prompt: 'select_account' };
    expect(await emailField(change, browser)).toBe('');
    expect(await emailField({ ...change, login_hint: other.email }, browser)).toBe(other.email);
    const page = await browser.get(authorizeUrl(scene, change));
    const next = await browser.follow(await browser.press(page, 'Sign in', { email: other.email, password }));
    expect(next.body).toContain(other.email);
    expect(returned(await browser.press(next, 'Allow', { subject: 'user' }))).toHaveProperty('code');
  });

  test('is forgotten once the user has said "Not you?"', async () => {
    const { email, browser } = await newcomer();
    const page = await browser.get(authorizeUrl(scene, { login_hint: email }));
    const form = await browser.follow(await browser.press(page, 'Not you?'));
    expect(formsOf(form.body)[0]?.fields['email']).toBe('');
  });
});

describe('for whom, when the user administers several organizations', () => {
  /** Two organizations of one administrator; the add-on is active for both. */
  const setTwo = async (name: string): Promise<readonly [Scene, Scene]> => {
    const first = await setScene(http, { name });
    const created = await http.commands.createOrganization({ name: 'Harbour Annex' });
    const { organizationId } = valueOf(created);
    const email = `${name.replace(/ /g, '.')}@two.example`;
    const userId = await createUser(http, email, [first.organizationId, organizationId]);
    const both = [
      { ...first, email, userId },
      { ...first, organizationId, email, userId },
    ] as const;
    for (const scene of both) await activate(http, scene);
    return both;
  };
  const keyOf = ({ organizationId }: Scene) => `organization:${organizationId}`;
  const activateByHand = async (browser: TestBrowser, { organizationId, clientId }: Scene) => {
    const addon = `/admin/organizations/${organizationId}/addons/${clientId}`;
    const question = await browser.get(`${addon}/deactivate`); // of an active add-on the only form of ours
    const form = formsOf(question.body).find(({ action }) => action === `${addon}/deactivate`);
    await browser.post(`${addon}/activate`, form?.fields ?? {});
  };
  const choices = (html: string): readonly string[] => formsOf(html)[0]?.choices['subject'] ?? [];
  const chosen = (html: string) => / name="subject" value="([^"]*)" required checked>/.exec(html)?.[1];
  const choiceTexts = (html: string) =>
    [...html.matchAll(/<label class="choice">(.*?)<\/label>/gs)].map(([, inner = '']) => words(inner).trim());

  test('AC-01: each is offered, and the one just activated is chosen beforehand, whichever it is', async () => {
    const [first, second] = await setTwo('Tide Table');
    const browser = await signedIn(http, first);
    const before = (await browser.get(authorizeUrl(first))).body;
    expect(choices(before)).toEqual([keyOf(second), keyOf(first), 'user']); // by name
    expect(before).not.toContain('just activated');
    expect(chosen(before), 'without an activation nobody is').toBeUndefined();
    for (const scene of [first, second, first]) {
      await activateByHand(browser, scene);
      const { body } = await browser.get(authorizeUrl(scene));
      expect(chosen(body)).toBe(keyOf(scene));
      expect(choices(body)[0]).toBe(keyOf(scene));
      expect([...choices(body)].sort()).toEqual([keyOf(first), keyOf(second), 'user'].sort());
      expect(choiceTexts(body).map((text) => text.includes('just activated'))).toEqual([true, false, false]);
    }
    const page = await browser.get(authorizeUrl(first));
    const { code } = returned(await browser.press(page, 'Allow'));
    expect(await subjectOf(first, code)).toMatchObject({ organizationId: first.organizationId });
  });

  test('AC-01, AZ-37: what was approved for another is not taken for the one just activated', async () => {
    const [first, second] = await setTwo('Sluice Watch');
    const browser = await signedIn(http, first);
    for (const subject of ['user', keyOf(second)])
      await obtainCode(http, first, { browser, subject, change: { prompt: 'consent' } });
    await activateByHand(browser, first);
    expect(returned(await browser.get(authorizeUrl(first, { prompt: 'none' })))['error']).toBe(
      'consent_required',
    );
    const page = await browser.get(authorizeUrl(first));
    expect(chosen(page.body)).toBe(keyOf(first));
    await browser.press(page, 'Allow');
    const { code } = returned(await browser.get(authorizeUrl(first)));
    expect(await subjectOf(first, code)).toMatchObject({ organizationId: first.organizationId });
  });

  test('the user may still choose his own records right after an activation', async () => {
    const [first] = await setTwo('Quay Log');
    const browser = await signedIn(http, first);
    await activateByHand(browser, first);
    const code = await obtainCode(http, first, { browser, subject: 'user' });
    expect(await subjectOf(first, code)).toMatchObject({ kind: 'user', userId: first.userId });
  });

  test('AZ-23: activated and deactivated again, the own records chosen on the open page are still a choice', async () => {
    const [first] = await setTwo('Buoy Net');
    const browser = await signedIn(http, first);
    await activateByHand(browser, first);
    const page = await browser.get(authorizeUrl(first));
    await deactivate(http, first);
    expect(returned(await browser.get(authorizeUrl(first)))['error']).toBe('access_denied');
    expect(returned(await browser.press(page, 'Allow', { subject: 'user' }))).toHaveProperty('code');
  });

  test('AZ-37: what is new is shown for each choice by itself', async () => {
    const [first, second] = await setTwo('Pier Plan');
    const browser = await signedIn(http, first);
    const consent = (scope: string) => ({ prompt: 'consent', scope });
    await obtainCode(http, first, { browser, subject: keyOf(first), change: consent('profiles:read') });
    await obtainCode(http, first, {
      browser,
      subject: 'user',
      change: consent('profiles:read access-rights:read'),
    });
    const page = await browser.get(authorizeUrl(first, consent('profiles:read access-rights:read')));
    expect(choices(page.body)).toEqual([keyOf(second), keyOf(first), 'user']);
    expect(choiceTexts(page.body)).toEqual([
      'Harbour Annex The whole organization',
      expect.stringMatching(/^Harbour Club \d+ The whole organization New access rights$/),
      'Ada Ahoi Just my records, in all my organizations You allowed all of this before',
    ]);
  });

  test('FX-24: what was approved as openid is asked for anew only with more', async () => {
    const scene = await setScene(http, { allowedScopes: ['openid'] });
    const browser = await signedIn(http, scene);
    const ask = (scope: string) => browser.get(authorizeUrl(scene, { scope }));
    const lines = (page: { readonly body: string }) =>
      page.body.match(/(?<=<\/svg><span>)See [^<]+.*?(?=<.li>)/g);
    await obtainCode(http, scene, { browser, change: { scope: 'openid' } });
    expect(returned(await ask('openid'))).toHaveProperty('code');
    const more = await ask('openid email');
    expect(lines(more)).toEqual(['See your e-mail address</span><span class="tag">New</span>']);
    expect(returned(await browser.press(more, 'Allow'))).toHaveProperty('code');
    expect(lines(await ask('openid profile email'))).toHaveLength(2);
    const { userId, clientId: addonId } = scene;
    const { subject } = await http.commands.ownConsent({ userId, addonId });
    const scopes = ['openid', 'profile', 'email'] as const;
    await http.commands.approveScopes({ userId, addonId, subject, scopes });
    expect(returned(await ask('openid profile email'))).toHaveProperty('code');
  });

  const subjectOf = async (scene: Scene, code: string | undefined) => {
    const { access_token } = (await exchange(http, scene, code ?? '')).json<Tokens>();
    return http.commands.verifyAccessToken(access_token)?.subject;
  };
});
