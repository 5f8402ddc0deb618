import { afterAll, beforeEach, expect, test } from 'vitest';
import { accountStream } from '../../../src/domain/streams.ts';
import { account } from '../../../src/http/account/plugin.ts';
import { session } from '../../../src/http/session/plugin.ts';
import type { LinkToDeliver } from '../../../src/mail/deliver-link.ts';
import { setScene } from '../../support/scenes/http-scene.ts';
import { testBrowser } from '../../support/scenes/pages.ts';
import { startPlugins } from '../../support/scenes/plugin-app.ts';

const sent: LinkToDeliver[] = [];
let mailed = true;
const http = await startPlugins([account, session], {
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
  expect(signIn.body).toContain('href="/forgot-password"');
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
