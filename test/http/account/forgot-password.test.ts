import { afterAll, beforeEach, expect, test } from 'vitest';
import { accountStream } from '../../../src/domain/streams.ts';
import { account } from '../../../src/http/account/plugin.ts';
import { authorize } from '../../../src/http/oauth/authorize/plugin.ts';
import { session } from '../../../src/http/session/plugin.ts';
import type { LinkToDeliver } from '../../../src/mail/deliver-link.ts';
import { valueOf } from '../../support/outcomes.ts';
import { authorizeUrl, returned, setScene } from '../../support/scenes/http-scene.ts';
import { testBrowser, type TestBrowser } from '../../support/scenes/pages.ts';
import { startPlugins } from '../../support/scenes/plugin-app.ts';

const sent: LinkToDeliver[] = [];
let mailed = true;
const http = await startPlugins([account, authorize, session], {
  mailLink: (link) => {
    sent.push(link);
    return Promise.resolve({ link: '', mailed, problem: null });
  },
});
const withoutMail = await startPlugins([account, session]);
afterAll(() => Promise.all([http.close(), withoutMail.close()]));
beforeEach(() => void sent.splice(0));

const ask = async (email: string) => {
  const browser = testBrowser(http.app);
  return browser.press(await browser.get('/forgot-password'), 'Send the link', { email });
};
const links = async (userId: string) =>
  (await http.store.read(accountStream(userId))).events.filter(
    ({ event }) => event.type === 'PasswordLinkIssued',
  );

test('PG-07: a link comes by mail, once; it sets the password, and the log says that Grantbook made it', async () => {
  const { email, userId } = await setScene(http);
  const signIn = await testBrowser(http.app).get('/sign-in');
  expect(signIn.body).toContain('href="/forgot-password?interaction=');
  const answer = await ask(email.toUpperCase());
  expect([answer.statusCode, answer.body.includes(email.toUpperCase())]).toEqual([200, true]);
  await expect.poll(() => sent).toMatchObject([{ kind: 'forgot', email, language: 'en' }]);
  expect(await links(userId)).toMatchObject([{ metadata: { actor: 'password-reset' } }]);

  await ask(email);
  const other = await setScene(http);
  await ask(other.email);
  await expect.poll(() => sent).toHaveLength(2);
  expect(await links(userId)).toHaveLength(1);

  const browser = testBrowser(http.app);
  const page = await browser.get(`/choose-password?link=${sent[0]?.token}`);
  const next = 'another battery staple';
  expect((await browser.press(page, 'Save password', { password: next, again: next })).statusCode).toBe(200);
  await browser.signIn(email, next);
});

test('FX-60: a link that no mail server took does not hold back the next request, and one that it took does', async () => {
  const { email, userId } = await setScene(http);
  mailed = false;
  await ask(email);
  const types = async () =>
    (await http.store.read(accountStream(userId))).events.map(({ event }) => event.type).slice(-4);
  await expect.poll(async () => (await types()).at(-1)).toBe('PasswordLinkNotMailed');
  mailed = true;
  await ask(email);
  await expect.poll(() => sent).toHaveLength(2);
  expect(sent[1]?.token).not.toBe(sent[0]?.token);
  await ask(email);
  const other = await setScene(http);
  await ask(other.email);
  await expect.poll(() => sent).toHaveLength(3);
  expect((await types()).slice(-3)).toEqual([
    'PasswordLinkIssued',
    'PasswordLinkNotMailed',
    'PasswordLinkIssued',
  ]);
});

test('PG-07: no answer tells whether an account has the address; nobody else gets a mail', async () => {
  const known = await setScene(http);
  const disabled = await setScene(http);
  await http.commands.disableUser(disabled.userId);
  const answers = [];
  for (const email of ['nobody@harbour.example', disabled.email, known.email])
    answers.push((await ask(email)).body.replaceAll(email, 'ADDRESS'));
  expect(new Set(answers).size).toBe(1);
  await expect.poll(() => sent).toHaveLength(1);
  expect(await links(disabled.userId)).toEqual([]);
});

test('PG-07: requests for one address are limited as attempts to sign in are, whether it is known or not', async () => {
  const { email } = await setScene(http);
  for (const address of [email, 'nobody-again@harbour.example']) {
    const answers = [];
    for (let turn = 0; turn < 12; turn += 1) answers.push((await ask(address)).statusCode);
    expect(answers.at(-1)).toBe(429);
    expect(answers[0]).toBe(200);
  }
});

test('PG-07: what is no address is refused by its field, and another form is not accepted', async () => {
  for (const email of ['', 'nobody', 'a@b\r\nBcc: c@d.example', `${'x'.repeat(10_000)}@example.com`]) {
    const refused = await ask(email);
    expect([refused.statusCode, refused.body.includes('This is no e-mail address.')]).toEqual([400, true]);
  }
  const forged = await http.app.inject({
    method: 'POST',
    url: '/forgot-password',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'email=ada%40harbour.example&interaction=made-up',
  });
  expect(forged.statusCode).toBe(400);
  expect(sent).toEqual([]);
});

test('PG-07: without a mail server the page says whom to ask', async () => {
  const page = await testBrowser(withoutMail.app).get('/forgot-password');
  expect([page.statusCode, page.body.includes('cannot send mails')]).toEqual([200, true]);
  expect(page.body).not.toContain('<form method="post" action="/forgot-password"');
});

test('PG-07: the page and the mail are in the reader’s language', async () => {
  const { email } = await setScene(http);
  const browser = testBrowser(http.app, { headers: { 'accept-language': 'de' } });
  const answer = await browser.press(await browser.get('/forgot-password'), 'Link senden', { email });
  expect(answer.body).toContain('Sehen Sie in Ihrem Postfach nach');
  await expect.poll(() => sent).toMatchObject([{ language: 'de' }]);
});

type Page = Awaited<ReturnType<TestBrowser['get']>>;
const linkOf = ({ body }: Page, to: RegExp): string =>
  to.exec(body)?.[0].replaceAll('&amp;', '&') ?? `no ${to.source} on: ${body}`;
const forgotLink = /\/forgot-password\?interaction=[^"]+/;
const wayOn = /\/oauth\/authorize\/continue\?interaction=[^"]+/;
const next = 'another battery staple';

const choose = async (browser: TestBrowser, button = 'Save password') => {
  await expect.poll(() => sent).toHaveLength(1);
  const page = await browser.get(`/choose-password?link=${sent[0]?.token}`);
  return browser.press(page, button, { password: next, again: next });
};

test('FX-61: page and mail are in the language of the sign-in page, and the add-on’s request goes on, once', async () => {
  const scene = await setScene(http);
  const browser = testBrowser(http.app, { headers: { 'accept-language': 'en' } });
  const signIn = await browser.get(authorizeUrl(scene, { ui_locales: 'de', subject: 'user' }));
  const page = await browser.get(linkOf(signIn, forgotLink));
  expect(page.body).toContain('<html lang="de"');
  const back = await browser.get(linkOf(page, wayOn));
  expect(back.body).toContain('name="password"');
  await browser.press(page, 'Link senden', { email: scene.email });
  const saved = await choose(browser, 'Passwort speichern');
  expect(sent).toMatchObject([{ kind: 'forgot', language: 'de' }]);
  expect(Object.values(sent[0] ?? {}).join()).not.toContain('interaction');

  const again = await browser.get(linkOf(saved, wayOn));
  const allow = await browser.follow(
    await browser.press(again, 'Anmelden', { email: scene.email, password: next }),
  );
  const { code, state } = returned(await browser.press(allow, 'Zugriff erlauben'));
  expect([code === undefined, state]).toEqual([false, 'st+&=%#']);

  await http.commands.issuePasswordLink(scene.userId);
  const { token } = valueOf(await http.commands.issuePasswordLink(scene.userId));
  sent.splice(0, 1, { ...(sent[0] as LinkToDeliver), token });
  expect((await choose(browser)).body).not.toMatch(wayOn);
});

test('FX-61: a link that somebody else asked for leads to nothing of theirs, in whichever browser it is opened', async () => {
  const scene = await setScene(http);
  const [theirs, own, user] = [testBrowser(http.app), testBrowser(http.app), await setScene(http)];
  const signIn = await theirs.get(authorizeUrl(scene, { state: 'of-theirs' }));
  await theirs.press(await theirs.get(linkOf(signIn, forgotLink)), 'Send the link', { email: user.email });
  // The page of another browser is none here, and what is in an address is no request.
  const copied = await own.get(linkOf(signIn, forgotLink));
  expect([copied.statusCode, copied.body.includes('action="/forgot-password"')]).toEqual([400, false]);
  await own.get(authorizeUrl(scene, { state: 'own' }));
  const saved = await choose(own);
  expect(saved.body).toContain('Your password is saved');
  expect(saved.body).not.toMatch(wayOn);
  expect(saved.body).toContain('href="/sign-in"');
});

test('FX-61: a page of this service that asked for a sign-in is shown after it, and no other site ever is', async () => {
  for (const [returnTo, leadsTo] of [
    ['/account?a=b', '/account?a=b'],
    ['//evil.example', '/'],
    ['https://evil.example/', '/'],
  ] as const) {
    sent.splice(0);
    const { email } = await setScene(http);
    const browser = testBrowser(http.app);
    const signIn = await browser.get(`/sign-in?return_to=${encodeURIComponent(returnTo)}`);
    await browser.press(await browser.get(linkOf(signIn, forgotLink)), 'Send the link', { email });
    const saved = await choose(browser);
    const form = await browser.get(linkOf(saved, /\/sign-in\?return_to=[^"]+/));
    const signedIn = await browser.press(form, 'Sign in', { email, password: next });
    expect(signedIn.headers.location).toBe(leadsTo);
  }
});

test('FX-61: who was invited and never chose a password gets the invitation again', async () => {
  const email = 'invited@harbour.example';
  const { userId } = valueOf(await http.commands.inviteUser({ email, name: 'Ina Invited' }));
  await ask(email); // the invitation that was just made may still be used
  expect(sent).toEqual([]);
  await http.commands.updateUser({ userId, email: 'ina@harbour.example' });
  const answers = [];
  for (const address of ['nobody-else@harbour.example', 'ina@harbour.example'])
    answers.push((await ask(address)).body.replaceAll(address, 'ADDRESS'));
  expect(new Set(answers).size).toBe(1);
  await expect.poll(() => sent).toMatchObject([{ kind: 'invitation', email: 'ina@harbour.example', userId }]);
  expect((await choose(testBrowser(http.app))).body).toContain('Your password is saved');
});
