import { decodeJwt } from 'jose';
import { afterAll, describe, expect, test } from 'vitest';
import { accountStream, sessionStream } from '../../../src/domain/streams.ts';
import { verifySessionCookie } from '../../../src/commands/credentials/session-cookie.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import {
  activate,
  authorizeUrl,
  createUser,
  exchange,
  password,
  returned,
  setScene,
  signedIn,
} from '../../support/scenes/http-scene.ts';
import { operatorApi } from '../../support/scenes/operator-api.ts';
import { testBrowser, type TestBrowser, words } from '../../support/scenes/pages.ts';
import { type Lies, optionsOf, softPasskey, type SoftPasskey } from '../../support/scenes/soft-passkey.ts';
import { cookieOf } from '../../support/scenes/our-cookies.ts';

const origin = 'http://localhost:8080';
const http = await startHttpApp({ config: { baseUrl: origin, issuer: origin } });
/** Another instance. */
const other = http.another();
afterAll(() => http.close());

const isSignedIn = async (browser: TestBrowser) => (await browser.get('/account')).statusCode === 200;

/** Adds a passkey on the pages. @returns the answer to the form */
const add = async (browser: TestBrowser, passkey: SoftPasskey, name = 'Phone', lies: Lies = {}) => {
  const page = await browser.get('/account/passkeys/new');
  return browser.press(page, 'Add passkey', { name, credential: passkey.create(optionsOf(page.body), lies) });
};
/** Signs in on the page that has the script. @returns the answer to the form */
const use = async (
  browser: TestBrowser,
  passkey: SoftPasskey,
  lies: Lies = {},
  address = '/sign-in/passkey',
) => {
  const page = await browser.get(address);
  return browser.press(page, 'Use a passkey', { credential: passkey.use(optionsOf(page.body), lies) });
};

let people = 0;
/** A user with a passkey, signed in with the password. */
const somebody = async (about: { readonly synced?: boolean; readonly counts?: boolean } = {}) => {
  people += 1;
  const email = `somebody${people}@passkeys.example`;
  const userId = await createUser(http, email);
  const desk = await signedIn(http, { email });
  const passkey = softPasskey(origin, about);
  const added = await add(desk, passkey);
  expect(added.headers.location).toMatch(/^\/account\?passkey=[0-9A-Z]{26}$/);
  const passkeyId = String(added.headers.location).replace(/.*=/, '');
  return { email, userId, desk, passkey, passkeyId };
};
const eventsOf = async (userId: string) =>
  (await http.store.read(accountStream(userId))).events.map(({ event }) => event);

describe('AM-03: a user of passkeys', () => {
  test('adds one, signs in with it on another instance, gives it a name, and removes it', async () => {
    const { userId, desk, passkey, passkeyId } = await somebody({ synced: true });
    expect(words((await desk.get(`/account?passkey=${passkeyId}`)).body)).toMatch(
      /Added: you can sign in with the passkey now\. .*Phone May be on several devices today [\d:]+ Never used ⋯ Rename Remove/,
    );
    const phone = testBrowser(other);
    const signedIn = await use(phone, passkey);
    expect([signedIn.statusCode, await isSignedIn(phone)]).toEqual([303, true]);
    const { sessionId = '' } = verifySessionCookie(http.keys, cookieOf(phone, 'session') ?? '') ?? {};
    expect((await http.store.read(sessionStream(sessionId))).events[0]?.event.data).toMatchObject({
      userId,
      upstream: null,
      passkey: { passkeyId, amr: ['swk', 'user', 'mfa'] },
    });
    const rename = await desk.get(`/account/passkeys/${passkeyId}/rename`);
    expect((await desk.press(rename, 'Rename', { name: 'Ada’s phone' })).statusCode).toBe(303);
    expect(words((await desk.get('/account')).body)).toMatch(
      /Ada’s phone May be on several devices today [\d:]+ today/,
    );
    const renameAgain = await desk.get(`/account/passkeys/${passkeyId}/rename`);
    const wrong = await desk.press(renameAgain, 'Rename', { name: ' ' });
    expect([wrong.statusCode, words(wrong.body)]).toEqual([
      400,
      expect.stringContaining('must not be empty'),
    ]);

    const removed = await desk.press(await desk.get(`/account/passkeys/${passkeyId}/remove`), 'Remove');
    expect(words((await desk.follow(removed)).body)).toContain(
      'Removed: the passkey no longer signs you in.',
    );
    expect([await isSignedIn(desk), await isSignedIn(phone)]).toEqual([true, false]);
    const refused = await use(testBrowser(other), passkey);
    expect([refused.statusCode, words(refused.body)]).toEqual([
      401,
      expect.stringContaining('This passkey does not sign you in here.'),
    ]);
    expect((await eventsOf(userId)).slice(2)).toMatchObject([
      {
        type: 'PasskeyAdded',
        data: { passkeyId, name: 'Phone', credentialId: passkey.id, counter: 0, synced: true },
      },
      { type: 'PasskeyRenamed', data: { passkeyId, name: 'Ada’s phone' } },
      { type: 'PasskeyRemoved', data: { passkeyId } },
    ]);
    const left = await http.pool.query('select from passkey_uses where user_id = $1', [userId]);
    expect(left.rowCount).toBe(0);
    expect((await desk.get(`/account/passkeys/${passkeyId}/remove`)).statusCode).toBe(404);
  });

  test('is asked by an add-on to sign in once more, and the id_token says how', async () => {
    const scene = await setScene(http, { allowedScopes: ['openid', 'profiles:read'] });
    await activate(http, scene);
    const browser = await signedIn(http, scene);
    const passkey = softPasskey(origin);
    await add(browser, passkey);
    const started = Math.floor(Date.now() / 1000);
    for (const change of [{ prompt: 'login' }, { max_age: '0' }]) {
      const asked = await browser.get(authorizeUrl(scene, { scope: 'openid profiles:read', ...change }));
      const [, link = ''] = /href="([^"]*\/sign-in\/passkey[^"]*)"/.exec(asked.body) ?? [];
      expect(words((await browser.get(link)).body)).toContain('to continue to Door Sync');
      const page = await browser.follow(await use(browser, passkey, {}, link));
      const { code = '' } = returned(
        page.body.includes('Allow') ? await browser.press(page, 'Allow', {}) : page,
      );
      const tokens: { readonly id_token: string } = (await exchange(http, scene, code)).json();
      expect(decodeJwt(tokens.id_token)).toMatchObject({ sub: scene.userId, amr: ['hwk', 'user', 'mfa'] });
      expect(decodeJwt(tokens.id_token)['auth_time']).toBeGreaterThanOrEqual(started);
    }
  });

  test('signs in once more, with either, before passkeys are added or removed', async () => {
    const { email, passkey, passkeyId } = await somebody();
    const browser = await signedIn(http, { email });
    http.advance(11 * 60_000);
    const away = await browser.get('/account/passkeys/new');
    expect(away.headers.location).toBe('/sign-in?again=1&return_to=%2Faccount%2Fpasskeys%2Fnew');
    const asked = await browser.follow(away);
    expect(asked.body).toContain(email);
    expect(words(asked.body)).toContain('Before you change how you sign in, sign in once more.');
    const wrong = await browser.press(asked, 'Sign in', { email, password: 'wrong' });
    expect(words(wrong.body)).toContain('sign in once more');
    const back = await browser.press(wrong, 'Sign in', { email, password });
    expect(back.headers.location).toBe('/account/passkeys/new');
    expect((await browser.get('/account/passkeys/new')).statusCode).toBe(200);

    const removal = await browser.get(`/account/passkeys/${passkeyId}/remove`);
    http.advance(11 * 60_000);
    const late = await browser.press(removal, 'Remove');
    expect(late.headers.location).toContain('/sign-in?again=1');
    const [, link = ''] =
      /href="([^"]*\/sign-in\/passkey[^"]*)"/.exec((await browser.follow(late)).body) ?? [];
    const confirmed = await use(browser, passkey, {}, link);
    expect(confirmed.headers.location).toBe(`/account/passkeys/${passkeyId}/remove`);
    await browser.press(await browser.follow(confirmed), 'Remove');
    expect(await isSignedIn(browser)).toBe(true); // the session in which it was asked for
  });

  test('keeps them when the password is set or chosen anew, and loses them with the account', async () => {
    const { userId, desk, passkey } = await somebody();
    await http.commands.setPassword({ userId, password: 'another battery staple' });
    expect(await isSignedIn(desk)).toBe(false);
    expect((await use(testBrowser(http.app), passkey)).statusCode).toBe(303);
    const page = await desk.get('/sign-in/passkey');
    await http.commands.disableUser(userId);
    expect((await use(desk, passkey)).statusCode).toBe(401);
    await http.commands.enableUser(userId);
    expect((await use(desk, passkey)).statusCode).toBe(303);
    await http.commands.eraseUser(userId);
    expect(await isSignedIn(desk)).toBe(false);
    const late = await testBrowser(http.app, {}, desk.cookies).press(page, 'Use a passkey', {
      credential: passkey.use(optionsOf(page.body)),
    });
    expect(late.statusCode).toBe(401);
    const left = await http.pool.query('select from passkey_uses where user_id = $1', [userId]);
    expect(left.rowCount).toBe(0);
  });

  test('cannot have any without a password: the provider alone says who may sign in', async () => {
    const invited = await http.commands.inviteUser({ email: 'invited@passkeys.example', name: 'Ida' });
    const userId = invited.ok ? invited.value.userId : '';
    expect(await http.commands.passkeysOf(userId)).toBeNull();
    const { passkey } = await somebody();
    const relyingParty = { id: 'localhost', origin };
    const options = { challenge: 'AAAA', rp: relyingParty, user: { id: 'AAAA' } };
    const response = JSON.parse(passkey.create(options)) as never;
    expect(
      await http.commands.addPasskey({ userId, name: 'Phone', relyingParty, response, challenge: 'AAAA' }),
    ).toMatchObject({ ok: false, refusal: 'no-password' });
  });
});

describe('AM-03: refused', () => {
  test.each<[string, Lies]>([
    ['another origin', { origin: 'http://localhost:8081' }],
    ['the origin under another host', { origin: 'http://evil.localhost:8080' }],
    ['another relying party', { rpId: 'evil.example' }],
    ['another challenge', { challenge: 'c29tZSBvdGhlciBjaGFsbGVuZ2U' }],
    ['a credential that the account does not have', { id: 'Zm9yZWlnbi1jcmVkZW50aWFs' }],
    ['no user', { userHandle: '' }],
    ['an unknown user', { userHandle: Buffer.from('01K9RZ3Q5V0000000000000001').toString('base64url') }],
    ['no verification of the user', { userVerified: false }],
    ['a key that is suddenly on other devices', { synced: true }],
    ['a page in a frame', { crossOrigin: true }],
  ])('a sign-in with %s', async (_what, lies) => {
    const { passkey, userId } = await somebody();
    const browser = testBrowser(http.app);
    const refused = await use(browser, passkey, lies);
    expect([refused.statusCode, words(refused.body)]).toEqual([
      401,
      expect.stringContaining('This passkey does not sign you in here.'),
    ]);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await eventsOf(userId)).map(({ type }) => type)).toEqual([
      'AccountCreated',
      'PasswordSet',
      'PasskeyAdded',
    ]);
    expect((await use(browser, passkey)).statusCode).toBe(303);
  });

  test('another user’s passkey for this account', async () => {
    const [ada, bob] = [await somebody(), await somebody()];
    const userHandle = Buffer.from(ada.userId).toString('base64url');
    for (const lies of [{ userHandle }, { userHandle, id: ada.passkey.id }])
      expect((await use(testBrowser(http.app), bob.passkey, lies)).statusCode).toBe(401);
  });

  test('an answer that was sent before, on whichever instance, and one for another browser or session', async () => {
    const { passkey, desk } = await somebody();
    const browser = testBrowser(http.app);
    const page = await browser.get('/sign-in/passkey');
    const credential = passkey.use(optionsOf(page.body));
    const cookies = new Map(browser.cookies);
    expect((await browser.press(page, 'Use a passkey', { credential })).statusCode).toBe(303);
    const replayed = testBrowser(other);
    expect((await replayed.press(page, 'Use a passkey', { credential })).statusCode).toBe(400);
    const again = testBrowser(other, {}, cookies);
    await again.press(page, 'Use a passkey', { credential });
    expect(cookieOf(again, 'session')).toBe(cookieOf(browser, 'session'));
    expect((await again.press(page, 'Use a passkey', { credential, more: '' })).statusCode).toBe(400);

    const mine = testBrowser(http.app);
    const theirs = await testBrowser(http.app).get('/sign-in/passkey');
    await mine.get('/sign-in/passkey');
    const stolen = await mine.press(theirs, 'Use a passkey', {
      credential: passkey.use(optionsOf(theirs.body)),
    });
    expect([stolen.statusCode, await isSignedIn(mine)]).toEqual([400, false]);

    // The challenge of one page in the form of another one, of the same browser.
    const [first, second] = [await mine.get('/sign-in/passkey'), await mine.get('/sign-in/passkey')];
    const challenge = /name="challenge" value="([^"]*)"/.exec(first.body)?.[1] ?? '';
    const crossed = await mine.press(second, 'Use a passkey', {
      challenge,
      credential: passkey.use(optionsOf(first.body)),
    });
    expect(crossed.statusCode).toBe(400);

    const adding = await desk.get('/account/passkeys/new');
    const stranger = await somebody();
    const form = await stranger.desk.get('/account/passkeys/new');
    const mixed = await stranger.desk.press(form, 'Add passkey', {
      name: 'Phone',
      challenge: /name="challenge" value="([^"]*)"/.exec(adding.body)?.[1] ?? '',
      credential: softPasskey(origin).create(optionsOf(adding.body)),
    });
    expect(mixed.statusCode).toBe(400);
    http.advance(5 * 60_000);
    const late = await desk.press(adding, 'Add passkey', {
      name: 'Phone',
      credential: softPasskey(origin).create(optionsOf(adding.body)),
    });
    expect([late.statusCode, words(late.body)]).toEqual([400, expect.stringContaining('is too old')]);
  });

  test('a signature counter that does not go up, and no other passkey for it', async () => {
    const { passkey } = await somebody();
    expect((await use(testBrowser(http.app), passkey, { counter: 7 })).statusCode).toBe(303);
    for (const counter of [7, 6, 0]) {
      const refused = await use(testBrowser(other), passkey, { counter });
      expect([refused.statusCode, words(refused.body)]).toEqual([
        401,
        expect.stringContaining('may have been copied'),
      ]);
    }
    expect(http.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('may have been copied') }),
    );
    expect((await use(testBrowser(http.app), passkey, { counter: 8 })).statusCode).toBe(303);
    const uncounted = await somebody({ counts: false });
    for (const app of [http.app, other])
      expect((await use(testBrowser(app), uncounted.passkey)).statusCode).toBe(303);
  });

  test('the same passkey twice, one that was not made here, and more than 20', async () => {
    const { desk, passkey, userId } = await somebody();
    const twice = await add(desk, passkey);
    expect([twice.statusCode, words(twice.body)]).toEqual([
      409,
      expect.stringContaining('already has this passkey'),
    ]);
    for (const lies of [
      { origin: 'http://evil.example' },
      { rpId: 'evil.example' },
      { challenge: 'AAAA' },
      { userVerified: false },
      { crossOrigin: true },
    ]) {
      const refused = await add(desk, softPasskey(origin), 'Phone', lies);
      expect([refused.statusCode, words(refused.body)]).toEqual([
        400,
        expect.stringContaining('could not be checked'),
      ]);
    }
    const nameless = await add(desk, softPasskey(origin), '\u202e');
    expect([nameless.statusCode, words(nameless.body)]).toEqual([400, expect.stringContaining('invisible')]);
    for (let count = 1; count < 20; count += 1)
      expect((await add(desk, softPasskey(origin), `Key ${count}`)).statusCode).toBe(303);
    expect(words((await add(desk, softPasskey(origin))).body)).toContain('20 passkeys, which is the maximum');
    expect((await eventsOf(userId)).filter(({ type }) => type === 'PasskeyAdded')).toHaveLength(20);
  });

  test.each([
    '',
    'null',
    '[]',
    '"text"',
    '{',
    '{"id":1}',
    '{"id":"AA","rawId":"AA","type":"password","response":{}}',
    JSON.stringify({ id: 'A'.repeat(2000), rawId: 'A', type: 'public-key', response: {} }),
    '{"__proto__":{"id":"AA"}}',
  ])('an answer of the form %s, without a fault of ours', async (credential) => {
    const browser = testBrowser(http.app);
    const used = await browser.press(await browser.get('/sign-in/passkey'), 'Use a passkey', { credential });
    expect([used.statusCode, words(used.body)]).toEqual([
      400,
      expect.stringContaining('&quot;credential&quot;'),
    ]);
  });

  test('nonsense in the right form, another field twice or too long, and 100 kB', async () => {
    const { desk } = await somebody();
    const browser = testBrowser(http.app);
    const page = await browser.get('/sign-in/passkey');
    const nonsense = {
      clientDataJSON: 'AAAA',
      authenticatorData: 'AAAA',
      signature: 'AAAA',
      userHandle: 'AAAA',
    };
    const credential = JSON.stringify({ id: 'AA', rawId: 'AA', type: 'public-key', response: nonsense });
    expect((await browser.press(page, 'Use a passkey', { credential })).statusCode).toBe(401);
    expect((await browser.press(page, 'Use a passkey', { credential: 'A'.repeat(20_000) })).statusCode).toBe(
      400,
    );
    expect((await browser.press(page, 'Use a passkey', { credential: 'A'.repeat(100_000) })).statusCode).toBe(
      413,
    );
    const adding = await desk.get('/account/passkeys/new');
    const made = JSON.stringify({
      id: 'AA',
      rawId: 'AA',
      type: 'public-key',
      response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' },
    });
    expect((await desk.press(adding, 'Add passkey', { name: 'X', credential: made })).statusCode).toBe(400);
    expect(
      (await desk.press(adding, 'Add passkey', { name: 'X', credential: 'A'.repeat(100_000) })).statusCode,
    ).toBe(413);
  });
});

test('AM-03: an operator sees the passkeys of a user and removes one, with a reason', async () => {
  const { userId, desk, passkey, passkeyId } = await somebody();
  const phone = testBrowser(other);
  await use(phone, passkey);
  const { userId: operator, call } = await operatorApi(http);
  const shown = await call('GET', `users/${userId}`);
  expect(shown.json).toMatchObject({ passkeys: [{ passkey_id: passkeyId, name: 'Phone', synced: false }] });
  const remove = (body: object) => call('POST', `users/${userId}/remove-passkey`, body);
  const removed = await remove({ passkey: passkeyId, reason: 'lost phone' });
  expect(removed).toMatchObject({ status: 200, json: { passkeys: [] } });
  expect([await isSignedIn(phone), await isSignedIn(desk)]).toEqual([false, true]);
  expect((await use(phone, passkey)).statusCode).toBe(401);
  expect((await http.store.read(accountStream(userId))).events.at(-1)).toMatchObject({
    event: { type: 'PasskeyRemoved', data: { passkeyId, exceptSession: null } },
    metadata: { actor: operator, reason: 'lost phone' },
  });
  const again = await remove({ passkey: passkeyId });
  expect([again.status, again.text]).toEqual([409, expect.stringContaining('no passkey with this id')]);
});

describe('AM-03: the pages', () => {
  const scriptOf = (html: string) => /<script src="([^"]*passkeys[^"]*)" defer><\/script>/.exec(html)?.[1];

  test('two pages have the script for passkeys, of our own origin, with a strong tag; no other page has it, and none without a password or a time has any', async () => {
    const { desk, passkeyId } = await somebody();
    const [signIn, adding] = [await desk.get('/sign-in/passkey'), await desk.get('/account/passkeys/new')];
    const policy =
      "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'; script-src 'self'";
    expect(signIn.headers['content-security-policy']).toBe(policy);
    expect(adding.headers['content-security-policy']).toBe(`${policy}; form-action 'self'`);
    const address = scriptOf(signIn.body) ?? '';
    expect([scriptOf(adding.body), address]).toEqual([
      address,
      expect.stringMatching(/^\/assets\/passkeys-\w+\.js$/),
    ]);
    const script = await desk.get(address);
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      etag: expect.stringMatching(/^"[\w-]+"$/),
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect((await desk.get(address, { 'if-none-match': String(script.headers.etag) })).statusCode).toBe(304);
    for (const page of [
      '/account',
      `/account/passkeys/${passkeyId}/remove`,
      `/account/passkeys/${passkeyId}/rename`,
      '/sign-in?again=1',
    ]) {
      const { body, headers } = await desk.get(page);
      const scripts = body.match(/<script[^>]*>/g) ?? [];
      const needed = /type="password"|<time/.test(body) ? ['page'] : [];
      const names = scripts.map(
        (script) => /^<script src="\/assets\/(\w+)-\w+\.js" defer>$/.exec(script)?.[1],
      );
      expect([page, names]).toEqual([page, needed]);
      expect([page, String(headers['content-security-policy']).includes('script-src')]).toEqual([
        page,
        scripts.length > 0,
      ]);
    }
  });

  test('the sign-in page offers it by a link, and names no account: the options are the same for everybody', async () => {
    const browser = testBrowser(http.app);
    const page = await browser.get('/sign-in?return_to=%2Faccount');
    const [, link = ''] = /href="([^"]*\/sign-in\/passkey[^"]*)"/.exec(page.body) ?? [];
    const { challenge: _, ...options } = optionsOf((await browser.get(link)).body);
    expect(options).toEqual({
      rpId: 'localhost',
      timeout: 300_000,
      allowCredentials: [],
      userVerification: 'required',
    });
    const { passkey } = await somebody();
    expect((await use(browser, passkey, {}, link)).headers.location).toBe('/account');
  });

  test.each([
    ['http://127.0.0.1:8080', 'This service is at http://127.0.0.1:8080.'],
    ['http://[::1]:8080', 'This service is at http://[::1]:8080.'],
    ['http://auth.example', 'This service is at http://auth.example.'],
  ])('at %s they say that there are no passkeys', async (baseUrl, said) => {
    const { email } = await somebody();
    const app = http.another((needs) => ({ ...needs, config: { ...needs.config, baseUrl } }));
    const browser = testBrowser(app);
    expect((await browser.get('/sign-in')).body).not.toContain('/sign-in/passkey');
    await browser.signIn(email, password);
    for (const address of ['/account', '/account/passkeys/new', '/sign-in/passkey'])
      expect([address, words((await browser.get(address)).body)]).toEqual([
        address,
        expect.stringContaining(said),
      ]);
  });

  test('where local sign-in is off, passkeys are off, too', async () => {
    const { passkey, desk } = await somebody();
    const page = await desk.get('/sign-in/passkey');
    const app = http.another((needs) => ({ ...needs, federation: { ...needs.federation, local: false } }));
    const browser = testBrowser(app, {}, desk.cookies);
    const credential = passkey.use(optionsOf(page.body));
    expect([
      (await browser.get('/sign-in/passkey')).statusCode,
      (await browser.press(page, 'Use a passkey', { credential })).statusCode,
      (await browser.get('/account/passkeys/new')).statusCode,
    ]).toEqual([403, 403, 403]);
    expect(words((await browser.get('/account')).body)).not.toContain('Passkeys');
  });
});

test('AM-03: attempts from one address wait, as those with passwords do', async () => {
  const limited = await startHttpApp({ config: { baseUrl: origin, issuer: origin }, signInsPerMinute: 3 });
  try {
    const passkey = softPasskey(origin);
    const browser = testBrowser(limited.app);
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect((await use(browser, passkey)).statusCode).toBe(401);
    const waiting = await use(browser, passkey);
    expect([waiting.statusCode, waiting.headers['retry-after']]).toEqual([
      429,
      expect.stringMatching(/^\d+$/),
    ]);
  } finally {
    await limited.close();
  }
});
