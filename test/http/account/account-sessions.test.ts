import { afterAll, describe, expect, test } from 'vitest';
import { accountStream, sessionStream } from '../../../src/domain/streams.ts';
import { deviceOf } from '../../../src/http/session/origin-of.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { createUser, password, signedIn } from '../../support/scenes/http-scene.ts';
import { formsOf, testBrowser, type TestBrowser, words } from '../../support/scenes/pages.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';
import { cookieOf } from '../../support/scenes/our-cookies.ts';

const http = await startHttpApp();
afterAll(() => http.close());

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

const isSignedIn = async (browser: TestBrowser, on = http.app) =>
  (await testBrowser(on, {}, browser.cookies).get('/account')).statusCode === 200;
const endings = (html: string) =>
  formsOf(html).flatMap(({ action, buttons }) =>
    action.includes('/account/sessions/') ? buttons.map(({ label }) => label) : [],
  );

let people = 0;
/** Somebody who is signed in at a desk and on a phone. */
const signedInTwice = async () => {
  people += 1;
  const email = `person${people}@sessions.example`;
  const userId = await createUser(http, email);
  const phone = testBrowser(http.app, {
    remoteAddress: '2001:db8:1:2::3',
    headers: { 'user-agent': iphone },
  });
  const desk = testBrowser(http.app, { remoteAddress: '192.0.2.7', headers: { 'user-agent': firefox } });
  await phone.signIn(email, password);
  await desk.signIn(email, password);
  return { email, userId, phone, desk };
};

describe('the sessions on the account page', () => {
  test('AM-02: it lists them with device, network, since and last seen, and says which is this one', async () => {
    const { desk, phone, userId } = await signedInTwice();
    const shown = words((await desk.get('/account')).body);
    const short = String.raw`(?:today \d\d:\d\d|\d+ \w+)`;
    const moment = String.raw`(?:today|yesterday) at \d\d:\d\d`;
    const german = words((await desk.get('/account', { 'accept-language': 'de' })).body);
    expect(german, 'PG-24').toContain('Firefox unter Linux');
    expect(shown).toMatch(
      new RegExp(
        `Where you are signed in End all others Device Signed in Last seen State Actions Firefox on Linux 192\\.0\\.2\\.7 ${short} ${short} This one` +
          ` Safari on iPhone 2001:db8:1:2::/64 ${short} ${short} ⋯ End`,
      ),
    );
    expect(shown).toMatch(
      new RegExp(
        `Latest sign-ins ${moment} : Firefox on Linux, 192\\.0\\.2\\.7 ${moment} : Safari on iPhone`,
      ),
    );
    const { live } = await http.commands.sessionsOf(userId);
    expect(new Set(live.map(({ device }) => device))).toEqual(
      new Set(['Firefox on Linux', 'Safari on iPhone']),
    );
    expect(await isSignedIn(phone)).toBe(true);
  });

  test('AM-02: one is ended, on every instance once the call has returned, and this one stays', async () => {
    const { desk, phone } = await signedInTwice();
    const other = http.another();
    const page = await desk.get('/account');
    const [, label = ''] = endings(page.body);
    expect(label).toMatch(/^End the session of Safari on iPhone of /);
    const form = formsOf(page.body).find(({ action }) => action.endsWith('/end'));
    const ended = await desk.press(page, label);
    expect(await Promise.all([isSignedIn(phone), isSignedIn(phone, other)])).toEqual([false, false]);
    const after = words((await desk.follow(ended)).body);
    expect(after).toContain('Ended: that session is signed out.');
    expect(after).toContain('Safari on iPhone, 2001:db8:1:2::/64 (ended)');
    const { fields } = formsOf((await desk.get('/account')).body)[0] ?? {};
    const again = await desk.post(form?.action ?? '', fields ?? {});
    expect([again.statusCode, words(again.body)]).toEqual([404, expect.stringContaining('Nothing to end')]);
  });

  test('AM-02: all others are ended, also one that the list does not know, and a later sign-in is not', async () => {
    const { desk, phone, email, userId } = await signedInTwice();
    const hidden = await signedIn(http, { email });
    const page = await desk.get('/account');
    await http.pool.query('delete from session_uses where user_id = $1', [userId]);
    const ended = await desk.press(page, 'End all others');
    expect([await isSignedIn(desk), await isSignedIn(phone), await isSignedIn(hidden)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(words((await desk.follow(ended)).body)).toContain('Ended: all other sessions are signed out.');
    await phone.signIn(email, password);
    expect(await isSignedIn(phone)).toBe(true);
    const { events } = await http.store.read(accountStream(userId));
    expect(events.at(-1)).toMatchObject({
      event: { type: 'SessionsEnded' },
      metadata: { actor: userId },
    });
  });

  test('AM-02: nobody ends the session of another person, or without a form of the page', async () => {
    const [mine, theirs] = [await signedInTwice(), await signedInTwice()];
    const page = await theirs.desk.get('/account');
    const address = formsOf(page.body).find(({ action }) => action.endsWith('/end'))?.action ?? '';
    const csrf = formsOf((await mine.desk.get('/account')).body)[0]?.fields['csrf'] ?? '';
    expect((await mine.desk.post(address, { csrf })).statusCode).toBe(404);
    expect((await mine.desk.post('/account/sessions/01/end', { csrf })).statusCode).toBe(404);
    expect((await theirs.desk.post(address, { csrf })).statusCode).toBe(403);
    expect((await theirs.desk.post('/account/sessions/end-others', {})).statusCode).toBe(403);
    expect(await isSignedIn(theirs.phone)).toBe(true);
  });

  test('a session of which the log does not say where it began is listed once it is used', async () => {
    const { desk, phone, userId } = await signedInTwice();
    await http.pool.query('delete from session_uses where user_id = $1', [userId]);
    http.advance(61_000);
    await phone.get('/account');
    await desk.get('/account');
    await expect
      .poll(async () => new Set((await http.commands.sessionsOf(userId)).live.map(({ device }) => device)))
      .toEqual(new Set(['Firefox on Linux', 'Safari on iPhone']));
    const id = cookieOf(phone, 'session')?.split('.')[0] ?? '';
    expect((await http.store.read(sessionStream(id))).events).toHaveLength(1);
  });
});

describe('a device in plain words', () => {
  test.each([
    [firefox, 'Firefox on Linux'],
    [iphone, 'Safari on iPhone'],
    [
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/126.0 Safari/537.36 Edg/126.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1 Version/17.5 Safari/605.1',
      'Safari on macOS',
    ],
    ['curl/8.5.0', 'curl'],
    ['Linux', 'Linux'],
  ])('%s', (userAgent, device) => {
    expect(deviceOf(userAgent)).toBe(device);
  });

  test('says nothing that a hostile header says', () => {
    for (const hostile of [undefined, '', '<script>alert(1)</script>', '\u202egnp', 'x'.repeat(100_000)])
      expect(deviceOf(hostile)).toBeNull();
    expect(deviceOf('<b>Firefox/1</b> on Linux')).toBe('Firefox on Linux');
  });
});

describe('a session that was lost with an older log', () => {
  test('FX-42: is signed out where its database is a new one, too; what a database has seen is not', async () => {
    expectTrouble(/^warn: request failed: temporarily unavailable/);
    const { email, userId, desk } = await signedInTwice();
    const older = await startHttpApp({ keys: http.keys });
    try {
      await createUser(older, email);
      const cookies = new Map(desk.cookies);
      const back = testBrowser(older.app, {}, cookies);
      const answer = await back.get('/account');
      expect([answer.statusCode, answer.headers.location]).toEqual([303, '/sign-in?return_to=%2Faccount']);
      await back.signIn(email, password);
      expect(await isSignedIn(back, older.app)).toBe(true);

      const { rows } = await http.pool.query('select * from session_uses where user_id = $1', [userId]);
      await older.pool.query(
        'insert into session_uses select * from jsonb_populate_recordset(null::session_uses, $1)',
        [JSON.stringify(rows)],
      );
      const seen = await testBrowser(older.app, {}, desk.cookies).get('/account');
      expect([seen.statusCode, seen.headers['retry-after']]).toEqual([503, expect.anything()]);
    } finally {
      await older.close();
    }
  });
});
