import { randomBytes } from 'node:crypto';
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, describe, expect, test, vi } from 'vitest';
import {
  hostileSecret,
  json,
  startHostileProvider,
  type Fault,
} from '../support/servers/hostile-provider.ts';
import { patience } from '../support/patience.ts';
import { startHttpApp } from '../support/scenes/http-app.ts';
import { testBrowser, type TestBrowser } from '../support/scenes/pages.ts';
import { cookieOf } from '../support/scenes/our-cookies.ts';

const many = Array.from({ length: 5_000 }, (_, index) => `group-${index}`);
const rlo = String.fromCharCode(0x202e);

/** Each leads to a page that names the provider. */
const faults: Readonly<Record<string, Fault & { readonly says: RegExp; readonly status?: number }>> = {
  unsigned: {
    sign: (payload) => Promise.resolve(new UnsecuredJWT(payload).encode()),
    says: /not allowed|not one of/,
  },
  symmetric: {
    sign: (payload, secret) =>
      new SignJWT(payload).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret)),
    says: /not allowed|not one of/,
  },
  forged: {
    sign: async (payload) => {
      const { privateKey } = await generateKeyPair('RS256');
      return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'first' }).sign(privateKey);
    },
    says: /not one of OpenID Connect/,
  },
  'unknown-key': {
    sign: async (payload) => {
      const { privateKey } = await generateKeyPair('RS256');
      return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'nobody' }).sign(privateKey);
    },
    says: /a key that it does not publish/,
  },
  'wrong-nonce': { claims: () => ({ nonce: 'another' }), says: /not for this sign-in/ },
  'no-nonce': { claims: () => ({ nonce: undefined }), says: /not/ },
  'wrong-audience': { claims: () => ({ aud: 'somebody-else' }), says: /not for this sign-in/ },
  'wrong-issuer': { claims: () => ({ iss: 'https://evil.example' }), says: /not for this sign-in/ },
  expired: { claims: (now) => ({ iat: now - 900, exp: now - 600 }), says: /has expired/ },
  'no-subject': { claims: () => ({ sub: undefined }), says: /not one of/ },
  'long-subject': { claims: () => ({ sub: 'x'.repeat(300) }), says: /its sub is not a text/ },
  'swapped-subject': { userInfo: { sub: 'another', name: 'Eve' }, says: /do not belong together/ },
  'no-id-token': {
    token: (answer) => json(answer, { access_token: 'at', token_type: 'Bearer' }),
    says: /not/,
  },
  'token-refused': {
    token: (answer) => json(answer, { error: 'invalid_grant', error_description: '<b>' }, 400),
    says: /refused to redeem its code \(invalid_grant\)/,
  },
  'token-500': {
    token: (answer) => json(answer, {}, 500),
    says: /answered with an error \(500\)/,
    status: 503,
  },
  'token-no-json': {
    token: (answer) => void answer.writeHead(200, { 'content-type': 'application/json' }).end('{'),
    says: /is not JSON/,
  },
  'token-page': {
    token: (answer) => void answer.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    says: /is not JSON/,
  },
  'token-redirects': {
    token: (answer) => void answer.writeHead(302, { location: '/token-redirects/token' }).end(),
    says: /redirect, which is not followed/,
  },
  'token-cut-off': {
    token: (answer) => {
      answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{');
      answer.destroy();
    },
    says: /cannot be reached/,
    status: 503,
  },
  'many-keys': {
    keys: (answer) => json(answer, { keys: [], padding: 'x'.repeat(10_000_000) }),
    says: /more than 1 MB/,
  },
  'no-keys': { keys: (answer) => json(answer, { keys: 'none' }), says: /not/ },
  'slow-keys': {
    keys: (answer) => void answer.writeHead(200, { 'content-type': 'application/json' }).write('{"keys":'),
    says: /did not answer in time/,
    status: 503,
  },
  'silent-token': { token: () => undefined, says: /did not answer in time/, status: 503 },
  'discovery-500': { discovery: (answer) => json(answer, {}, 500), says: /an error \(500\)/, status: 503 },
  'discovery-redirects': {
    discovery: (answer) =>
      void answer.writeHead(301, { location: '/discovery-redirects/.well-known/openid-configuration' }).end(),
    says: /redirect, which is not followed/,
  },
  'discovery-page': {
    discovery: (answer) => void answer.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    says: /is not JSON/,
  },
  'discovery-of-another': {
    discovery: (answer, right) => json(answer, { ...right, issuer: 'https://evil.example' }),
    says: /another issuer|do not belong together/,
  },
  'slow-discovery': {
    discovery: (answer) => void answer.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    says: /did not answer in time/,
    status: 503,
  },
  'roles-a-number': {
    claims: () => ({ roles: 7 }),
    says: /its claim &quot;roles&quot; is no list|its claim "roles"/,
  },
  'too-much': {
    claims: () => ({ orgs: Array.from({ length: 10_000 }, (_, index) => `${index} `.padEnd(200, 'x')) }),
    says: /it sent an answer of more than 1 MB/,
  },
  'too-many': {
    claims: () => ({ orgs: Array.from({ length: 10_001 }, String) }),
    says: /its claim &quot;orgs&quot; has more than 10000 entries/,
  },
  'organizations-an-object': { claims: () => ({ orgs: { a: true } }), says: /its claim .*orgs/ },
};

let sidOfNext: string | undefined;

/** Each is a sign-in like any other. */
const harmless: Readonly<Record<string, Fault>> = {
  right: {},
  'with-sid': { claims: () => ({ sid: sidOfNext }) },
  'clock-ahead': { claims: (now) => ({ iat: now + 30, exp: now + 330 }) },
  'clock-behind': { claims: (now) => ({ iat: now - 330, exp: now - 30 }) },
  'many-groups': { claims: () => ({ roles: many, orgs: many.map((id) => ({ id })) }) },
  crowd: { claims: () => ({ orgs: Array.from({ length: 10_000 }, (_, index) => `group-${index}`) }) },
  'one-group': { claims: () => ({ orgs: ['group-0'] }) },
  'odd-entries': { claims: () => ({ roles: [1, null, {}, { role: 'auditor' }, ['operator']], orgs: 'one' }) },
  'hostile-name': { claims: () => ({ name: `<script>alert(1)</script>${rlo}`, email: 'no address' }) },
  'odd-name': {
    claims: () => ({ name: { given: 'Ada' }, email: ['a@b.example'], acr: 5, amr: 'pwd', sid: {} }),
  },
};

const hostile = await startHostileProvider({ ...faults, ...harmless });
const http = await startHttpApp({
  signIn: {
    providers: [...Object.keys(faults), ...Object.keys(harmless)].map((id) =>
      hostile.settings(id, {
        name: `The ${id} provider`,
        claims: { email: 'email', administratorOf: 'orgs', roles: 'roles' },
      }),
    ),
  },
});
afterAll(async () => {
  await http.close();
  await hostile.close();
});

/** Leaves for the provider. @returns what was sent there; null when the browser never got away */
const leave = async (browser: TestBrowser, id: string) => {
  const answer = await browser.press(await browser.get('/sign-in'), `Sign in with The ${id} provider`);
  const sent = answer.statusCode === 303 ? new URL(answer.headers.location ?? '').searchParams : null;
  return { answer, state: sent?.get('state') ?? '', nonce: sent?.get('nonce') ?? '', sent };
};

const comeBack = async (browser: TestBrowser, id: string, more = '') => {
  const left = await leave(browser, id);
  if (!left.sent) return left.answer;
  const code = randomBytes(8).toString('hex');
  hostile.expect(code, left.nonce);
  return browser.get(`/sign-in/callback/${id}?code=${code}&state=${left.state}${more}`);
};

describe('a provider that does not do its part', () => {
  test.concurrent.each(Object.keys(faults))(
    'FE-08: %s ends in a page that names the provider, with a way back, in time',
    async (id) => {
      const browser = testBrowser(http.app);
      const began = performance.now();
      const page = await comeBack(browser, id);
      const fault = faults[id];
      expect(page.statusCode).toBe(fault?.status ?? 502);
      expect(page.body).toContain(`The ${id} provider`);
      expect(page.body).toMatch(fault?.says ?? /^$/);
      expect(page.body).toContain('Try again</a>');
      // FX-13: neither origins nor network errors.
      expect(page.body).not.toMatch(
        /127\.0\.0\.1:\d|localhost:\d|E[A-Z]{3,}(REFUSED|RESET)|UND_ERR|SELF_SIGNED/,
      );
      expect(performance.now() - began).toBeLessThan(patience); // without limits of its own it would wait for ever
      expect(cookieOf(browser, 'session')).toBeUndefined();
      const told = http.lines.filter(({ fields }) => (fields as { provider?: string }).provider === id);
      expect(told.length).toBeGreaterThan(0);
      expect(JSON.stringify(told)).not.toContain(hostileSecret);
    },
  );

  test('FE-08: what it refuses is reported without its words', async () => {
    const browser = testBrowser(http.app);
    const { state } = await leave(browser, 'right');
    const page = await browser.get(
      `/sign-in/callback/right?error=access_denied&error_description=Call+0900+now&state=${state}`,
    );
    expect(page.statusCode).toBe(403);
    expect(page.body).toContain('did not sign you in (access_denied)');
    expect(page.body).not.toContain('0900');
  });

  test('FE-02: an answer of another provider is refused: by its iss, and by the callback that it comes to', async () => {
    const browser = testBrowser(http.app);
    const wrongIss = await comeBack(browser, 'right', `&iss=${encodeURIComponent('https://evil.example')}`);
    expect(wrongIss.statusCode).toBe(502);
    const { state } = await leave(browser, 'right');
    const wrongPath = await browser.get(`/sign-in/callback/many-groups?code=c&state=${state}`);
    expect(wrongPath.statusCode).toBe(400);
    expect(wrongPath.body).toContain('begun with another provider');
    const after = await browser.get(`/sign-in/callback/right?code=c&state=${state}`);
    expect(after.statusCode).toBe(400);
    expect(cookieOf(browser, 'session')).toBeUndefined();
  });
});

describe('a provider that is only odd', () => {
  test.each(Object.keys(harmless))('FE-04, FE-08: %s is a sign-in like any other', async (id) => {
    const browser = testBrowser(http.app);
    expect((await comeBack(browser, id)).statusCode).toBe(303);
    const account = await browser.get('/account');
    expect(account.statusCode).toBe(200);
    expect(account.body).not.toContain('<script>');
    expect(account.body).not.toContain(rlo);
  });

  test('FX-09: 10,000 groups cost both servers what one costs, and at most 1.5 times what none cost', async () => {
    const calls = [
      vi.spyOn(http.pool, 'connect'), // each statement and each transaction
      vi.spyOn(http.store, 'read'),
      vi.spyOn(http.store, 'append'),
    ];
    const costOf = async (id: string) => {
      await comeBack(testBrowser(http.app), id);
      for (const call of calls) call.mockClear();
      expect((await comeBack(testBrowser(http.app), id)).statusCode).toBe(303);
      return calls.map((call) => call.mock.calls.length);
    };
    try {
      const [crowd, one, none] = [await costOf('crowd'), await costOf('one-group'), await costOf('right')];
      expect(crowd).toEqual(one);
      expect(Math.min(...none)).toBeGreaterThan(0);
      for (const [index, cost] of crowd.entries()) expect(cost).toBeLessThanOrEqual(1.5 * (none[index] ?? 0));
    } finally {
      for (const call of calls) call.mockRestore();
    }
  });

  test('FE-02: a new key is found at once, and the keys are read at most every 5 s', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 });
    try {
      const before = hostile.calls('/right/keys');
      await hostile.rotate();
      expect((await comeBack(testBrowser(http.app), 'right')).statusCode).toBe(303);
      expect(hostile.calls('/right/keys')).toBe(before + 1);
      await hostile.rotate();
      const tooSoon = await comeBack(testBrowser(http.app), 'right');
      expect([tooSoon.statusCode, hostile.calls('/right/keys')]).toEqual([502, before + 1]);
      vi.setSystemTime(Date.now() + 6_000);
      expect((await comeBack(testBrowser(http.app), 'right')).statusCode).toBe(303);
      expect(hostile.calls('/right/keys')).toBe(before + 2);
    } finally {
      vi.useRealTimers();
    }
  });
});

const event = { 'http://schemas.openid.net/event/backchannel-logout': {} };

describe('back-channel logout', () => {
  const send = (token: string | null, id = 'right') =>
    http.app.inject({
      method: 'POST',
      url: `/sign-in/backchannel-logout/${id}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: token === null ? '' : new URLSearchParams({ logout_token: token }).toString(),
    });
  const subject = 'user-of-right';
  const right = () => ({ sub: subject, jti: randomBytes(8).toString('hex'), events: event });

  test('FE-06: ends the sessions of a sub on another instance too, once for each jti', async () => {
    const [one, two] = [testBrowser(http.app), testBrowser(http.app)];
    for (const browser of [one, two]) expect((await comeBack(browser, 'right')).statusCode).toBe(303);
    const other = testBrowser(http.another(), {}, one.cookies);
    expect((await other.get('/account')).statusCode).toBe(200);
    const token = await hostile.signLogoutToken('right', right());
    expect((await send(token)).statusCode).toBe(200);
    for (const browser of [one, two, other]) expect((await browser.get('/account')).statusCode).toBe(303);
    const again = await send(token);
    expect([again.statusCode, again.json<{ error: string }>().error]).toEqual([400, 'invalid_request']);
    expect(again.headers['cache-control']).toBe('no-store');
    // A later sign-in is not ended by what was said before.
    expect((await comeBack(one, 'right')).statusCode).toBe(303);
    expect((await one.get('/account')).statusCode).toBe(200);
  });

  test('FX-06: a token with sub and sid ends the sessions of that sid, and those of that sub that have none', async () => {
    http.advance(6_000); // the provider's keys have changed, and are read again
    const signIn = async (sid: string | undefined) => {
      sidOfNext = sid;
      const browser = testBrowser(http.app);
      expect((await comeBack(browser, 'with-sid')).statusCode).toBe(303);
      return browser;
    };
    const [named, other, without] = [await signIn('one'), await signIn('two'), await signIn(undefined)];
    const claims = { ...right(), sub: 'user-of-with-sid', sid: 'one' };
    expect((await send(await hostile.signLogoutToken('with-sid', claims), 'with-sid')).statusCode).toBe(200);
    const isIn = async (browser: TestBrowser) => (await browser.get('/account')).statusCode === 200;
    expect([await isIn(named), await isIn(other), await isIn(without)]).toEqual([false, true, false]);
    // The sid decides, even where the provider names the user by another sub.
    const last = { ...right(), sub: 'pairwise', sid: 'two' };
    expect((await send(await hostile.signLogoutToken('with-sid', last), 'with-sid')).statusCode).toBe(200);
    expect(await isIn(other)).toBe(false);
  });

  test.each<[string, Readonly<Record<string, unknown>>, Readonly<Record<string, string>>?]>([
    ['another audience', { aud: 'somebody-else' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['an expired one', { iat: 1_700_000_000, exp: 1_700_000_100 }],
    ['one of the future', { iat: 4_000_000_000, exp: 4_000_000_100 }],
    ['no iat', { iat: undefined }],
    ['no exp and an old iat', { iat: Math.floor(Date.now() / 1000) - 180, exp: undefined }],
    ['neither sub nor sid', { sub: undefined }],
    ['no events', { events: undefined }],
    ['other events', { events: { 'https://example.com/event': {} } }],
    [
      'an event that is no object',
      { events: { 'http://schemas.openid.net/event/backchannel-logout': 'yes' } },
    ],
    ['a nonce', { nonce: 'n' }],
    ['no jti', { jti: undefined }],
    ['a sid that is no text', { sid: 5 }],
    ['another type', {}, { typ: 'at+jwt' }],
  ])('FE-06: %s is refused (§2.6)', async (_what, change, header) => {
    const browser = testBrowser(http.app);
    await comeBack(browser, 'right');
    const answer = await send(await hostile.signLogoutToken('right', { ...right(), ...change }, header));
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([400, 'invalid_request']);
    expect((await browser.get('/account')).statusCode).toBe(200);
  });

  test('FE-06: so is one that is unsigned, symmetric, of another provider, missing, or for nobody', async () => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: hostile.issuerOf('right'), aud: 'grantbook', iat: now, exp: now + 60, ...right() };
    const symmetric = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'logout+jwt' })
      .sign(new TextEncoder().encode(hostileSecret));
    const answers = [
      await send(new UnsecuredJWT(claims).encode()),
      await send(symmetric),
      await send(await hostile.signLogoutToken('clock-ahead', right())),
      await send('nonsense'),
      await send(null),
      await send(await hostile.signLogoutToken('right', right()), 'nobody'),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 400));
    // A right one about somebody who has no session changes nothing, and is fine.
    const unknown = await send(await hostile.signLogoutToken('right', { ...right(), sub: 'nobody' }));
    expect(unknown.statusCode).toBe(200);
  });
});
