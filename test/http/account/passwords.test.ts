import { afterAll, describe, expect, test } from 'vitest';
import { accountStream } from '../../../src/domain/streams.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { createUser, password, setScene, signedIn } from '../../support/scenes/http-scene.ts';
import { valueOf } from '../../support/scenes/marketplace.ts';
import { formsOf, testBrowser, type TestBrowser, words } from '../../support/scenes/pages.ts';

const http = await startHttpApp();
afterAll(() => http.close());

const next = 'another battery staple';
const isSignedIn = async (browser: TestBrowser) => (await browser.get('/account')).statusCode === 200;
const signsIn = (email: string, chosen: string) =>
  testBrowser(http.app)
    .signIn(email, chosen)
    .then(
      () => true,
      () => false,
    );
const typesOf = async (userId: string) =>
  (await http.store.read(accountStream(userId))).events.map(({ event }) => event.type);
const linkTo = (token: string) => `/choose-password?link=${token}`;

let people = 0;
const somebody = async () => {
  people += 1;
  const email = `somebody${people}@passwords.example`;
  return { email, userId: await createUser(http, email) };
};
const tokenFor = async (userId: string) =>
  valueOf(
    await http.commands.issueAdministratorToken({
      userId,
      organizationId: null,
      name: `of ${Date.now()}`,
      days: 1,
      by: userId,
    }),
  ).token;
const opens = async (token: string) => (await http.commands.readAdministratorToken(token)).ok;

describe('FX-01: a link for an account with a linked identity', () => {
  const identity = { provider: 'keycloak', issuer: 'https://id.example/realms/platform' };
  const reset = async () => {
    const { email, userId } = await somebody();
    const subject = `s-${userId}`;
    valueOf(await http.commands.linkIdentity({ userId, ...identity, subject }));
    const { token } = valueOf(await http.commands.issuePasswordLink(userId));
    const browser = testBrowser(http.app);
    return { email, userId, subject, browser, page: await browser.get(linkTo(token)) };
  };

  test('asks whether it stays linked, and unlinks it unless the user says so', async () => {
    const { email, userId, browser, page } = await reset();
    expect(words(page.body)).toContain('Keep signing in with keycloak');
    const saved = await browser.press(page, 'Save password', {
      password: next,
      again: next,
      keep_identities: '',
    });
    expect([saved.statusCode, await signsIn(email, next)]).toEqual([200, true]);
    expect((await typesOf(userId)).slice(-2)).toEqual(['PasswordSet', 'IdentityUnlinked']);
    const kept = await reset();
    await kept.browser.press(kept.page, 'Save password', {
      password: next,
      again: next,
      keep_identities: 'yes',
    });
    expect((await typesOf(kept.userId)).at(-1)).toBe('PasswordSet');
  });

  test('is not asked of an account without one', async () => {
    const { userId } = await somebody();
    const { token } = valueOf(await http.commands.issuePasswordLink(userId));
    expect((await testBrowser(http.app).get(linkTo(token))).body).not.toContain('keep_identities');
  });
});

describe('changing the password on the account page', () => {
  const fill = async (browser: TestBrowser, given: Readonly<Record<string, string>>) =>
    browser.press(await browser.get('/account/password'), 'Change password', {
      present: password,
      password: next,
      again: next,
      ...given,
    });

  test('AM-01: asks for the present one, ends all other sessions and the tokens, keeps this one, tells when', async () => {
    const { email, userId } = await setScene(http);
    const [desk, phone] = [testBrowser(http.app), testBrowser(http.another())];
    await desk.signIn(email, password);
    await phone.signIn(email, password);
    const token = await tokenFor(userId);
    expect((await fill(desk, { present: 'not this one' })).statusCode).toBe(401);
    expect([await isSignedIn(phone), await opens(token)]).toEqual([true, true]);
    const changed = await fill(desk, {});
    expect(changed.headers.location).toBe('/account?password=changed');
    expect([await isSignedIn(desk), await isSignedIn(phone), await opens(token)]).toEqual([
      true,
      false,
      false,
    ]);
    expect([await signsIn(email, password), await signsIn(email, next)]).toEqual([false, true]);
    const account = words((await desk.follow(changed)).body);
    expect(account).toContain('Changed: all other sessions and your administrator tokens ended.');
    expect(account).toMatch(/Password Last changed today at \d\d:\d\d/);
    expect(words((await desk.get('/account/password')).body)).toMatch(/Last changed today at \d\d:\d\d/);
    expect(await opens(await tokenFor(userId))).toBe(true);
  });

  test('AM-01: says which field is wrong, and changes nothing', async () => {
    const { email, userId } = await somebody();
    const browser = await signedIn(http, { email });
    const different = await fill(browser, { again: 'something else' });
    expect([different.statusCode, words(different.body)]).toEqual([400, expect.stringContaining('differ')]);
    const short = await fill(browser, { password: 'short', again: 'short' });
    expect([short.statusCode, words(short.body)]).toEqual([400, expect.stringContaining('8 to 256')]);
    expect(short.body).not.toContain('value="short"');
    expect((await fill(browser, { csrf: 'forged' })).statusCode).toBe(403);
    expect((await fill(browser, { present: 'x'.repeat(2000) })).statusCode).toBe(403);
    expect(await typesOf(userId)).toEqual(['AccountCreated', 'PasswordSet']);
  });

  test('AM-01: says how long one may be, however long it is, and which field was sent twice', async () => {
    const { email } = await somebody();
    const browser = await signedIn(http, { email });
    const page = await browser.get('/account/password');
    for (const [, limit] of page.body.matchAll(/<input type="password"[^>]*maxlength="(\d+)"/g))
      expect(limit).toBe('1024'); // a shorter one would cut off what is pasted, without a word
    const long = 'long '.repeat(300);
    const sent = { present: password, password: long, again: long };
    const tooLong = await browser.press(page, 'Change password', sent);
    expect(words(tooLong.body)).toContain('It must have 8 to 256 characters.');
    const { csrf = '' } =
      formsOf(page.body).find(({ action }) => action === '/account/password')?.fields ?? {};
    const twice = await http.app.inject({
      method: 'POST',
      url: '/account/password',
      cookies: Object.fromEntries(browser.cookies),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `${new URLSearchParams({ csrf, ...sent }).toString()}&again=x`,
    });
    expect(words(twice.body)).toContain('The field &quot;again&quot; was sent more than once');
  });

  test('AM-01: attempts with a wrong present password are limited like sign-ins', async () => {
    const { email } = await somebody();
    const browser = testBrowser(http.app, { remoteAddress: '198.51.100.9' });
    await browser.signIn(email, password);
    const answers = [];
    for (let attempt = 0; attempt < 7; attempt += 1)
      answers.push(await fill(browser, { present: `wrong ${attempt}` }));
    const statuses = answers.map(({ statusCode }) => statusCode);
    expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    const limited = answers.find(({ statusCode }) => statusCode === 429);
    expect(limited?.headers['retry-after']).toMatch(/^\d+$/);
    expect(words(limited?.body ?? '')).toContain('Too many attempts');
  });
});

describe('a link for choosing a password', () => {
  const choose = (page: Awaited<ReturnType<TestBrowser['get']>>, browser: TestBrowser, chosen = next) =>
    browser.press(page, 'Save password', { password: chosen, again: chosen });

  test('AM-01: invites a person, who chooses one and signs in', async () => {
    const invited = valueOf(await http.commands.inviteUser({ email: 'Irma@Invited.example', name: 'Irma' }));
    const { token, userId } = invited;
    expect(await signsIn('irma@invited.example', '')).toBe(false);
    const browser = testBrowser(http.app);
    const page = await browser.get(linkTo(token));
    expect(words(page.body)).toContain('irma@invited.example');
    expect(page.headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store, no-transform',
    });
    const saved = await choose(page, browser);
    expect([saved.statusCode, words(saved.body)]).toEqual([200, expect.stringContaining('is saved')]);
    expect(await signsIn('irma@invited.example', next)).toBe(true);
    expect(await typesOf(userId)).toEqual(['AccountCreated', 'PasswordLinkIssued', 'PasswordSet']);
    expect(await http.commands.inviteUser({ email: 'irma@invited.example', name: 'Irma' })).toMatchObject({
      ok: false,
      refusal: 'email-taken',
    });
  });

  test('AM-01: opening it changes nothing, and of two uses on two instances one counts', async () => {
    const { email, userId } = await somebody();
    const { token } = valueOf(await http.commands.issuePasswordLink(userId));
    const before = await typesOf(userId);
    const [one, two] = [testBrowser(http.app), testBrowser(http.another())];
    const pages = [await one.get(linkTo(token)), await two.get(linkTo(token))] as const;
    await http.app.inject({ method: 'HEAD', url: linkTo(token) });
    expect(await typesOf(userId)).toEqual(before);
    expect(await signsIn(email, password)).toBe(true);
    const answers = await Promise.all([
      choose(pages[0], one, 'the first choice'),
      choose(pages[1], two, 'the second choice'),
    ]);
    expect(answers.map(({ statusCode }) => statusCode).sort((a, b) => a - b)).toEqual([200, 404]);
    const winner = answers[0].statusCode === 200 ? 'the first choice' : 'the second choice';
    expect([await signsIn(email, winner), await signsIn(email, password)]).toEqual([true, false]);
    expect((await typesOf(userId)).filter((type) => type === 'PasswordSet')).toHaveLength(2);
    expect((await one.get(linkTo(token))).statusCode).toBe(404);
  });

  test('AM-01: ends sessions and administrator tokens when it is used, not before', async () => {
    const { email, userId } = await setScene(http);
    const browser = await signedIn(http, { email });
    const admin = await tokenFor(userId);
    const { token } = valueOf(await http.commands.issuePasswordLink(userId));
    expect([await isSignedIn(browser), await opens(admin)]).toEqual([true, true]);
    const stranger = testBrowser(http.app);
    await choose(await stranger.get(linkTo(token)), stranger);
    expect([await isSignedIn(browser), await opens(admin)]).toEqual([false, false]);
  });

  test('AM-01: a newer link, a day, a disabled account and a changed character end it, each with an answer', async () => {
    const { userId } = await somebody();
    const issue = async () => valueOf(await http.commands.issuePasswordLink(userId)).token;
    const answer = async (token: string) => {
      const { statusCode, body } = await testBrowser(http.app).get(linkTo(token));
      return [statusCode, words(body)];
    };
    const [older, newer] = [await issue(), await issue()];
    const replaced = [404, expect.stringMatching(/used or replaced, or the account has changed since/)];
    expect(await answer(older)).toEqual(replaced);
    expect((await answer(newer))[0]).toBe(200);
    expect(await answer(`${newer.slice(0, -2)}AA`)).toEqual([
      404,
      expect.stringContaining('was changed on the way'),
    ]);
    expect((await testBrowser(http.app).get('/choose-password')).statusCode).toBe(404);
    const twice = await http.app.inject({ url: `${linkTo(newer)}&link=${newer}` });
    expect(twice.statusCode).toBeLessThan(500);
    await http.commands.disableUser(userId);
    await http.commands.enableUser(userId);
    expect(await answer(newer)).toEqual(replaced);
    const last = await issue();
    http.advance(24 * 3_600_000);
    expect(await answer(last)).toEqual([404, expect.stringContaining('24 hours')]);
  });

  test('AM-01: the form says what is wrong and stays usable', async () => {
    const { userId } = await somebody();
    const { token } = valueOf(await http.commands.issuePasswordLink(userId));
    const browser = testBrowser(http.app);
    const page = await browser.get(linkTo(token));
    expect((await choose(page, browser, 'short')).statusCode).toBe(400);
    expect((await browser.press(page, 'Save password', { password: next, again: 'x' })).statusCode).toBe(400);
    expect((await choose(page, browser)).statusCode).toBe(200);
  });

  test('AM-01: no secret of it is in the log of events, in a line of the log, or in a table', async () => {
    const { userId } = await somebody();
    const { token } = valueOf(await http.commands.issuePasswordLink(userId));
    const browser = testBrowser(http.app);
    const page = await browser.get(linkTo(token));
    await browser.get(linkTo(`${token}x`));
    await http.app.inject({ url: `/choose-passwords?link=${token}` });
    await choose(page, browser, 'a password that nobody knows');
    await http.settle();
    const secrets = [token, token.slice(-30), 'a password that nobody knows'];
    const { events } = await http.store.read(accountStream(userId));
    const kept = JSON.stringify(
      [events.map(({ event, metadata }) => [event, metadata]), http.lines, await http.dump()],
      (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    );
    expect(secrets.filter((secret) => kept.includes(secret))).toEqual([]);
    expect(http.lines.some(({ fields }) => JSON.stringify(fields).includes('/choose-password'))).toBe(true);
    expect(formsOf(page.body).map(({ action }) => action)).toContain('/choose-password');
  });
});
