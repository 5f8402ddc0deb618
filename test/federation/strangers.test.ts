import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { keptForNetwork, makeProviderSignIns } from '../../src/federation/provider-sign-ins.ts';
import { longestReturnTo } from '../../src/http/session/sign-in.ts';
import { startHostileProvider } from '../support/servers/hostile-provider.ts';
import { startHttpApp } from '../support/scenes/http-app.ts';
import { testBrowser, type TestBrowser } from '../support/scenes/pages.ts';
import { optionsOf, softPasskey } from '../support/scenes/soft-passkey.ts';

const [steps, signIns] = [12, 4];
const origin = 'http://localhost:8080';
let subject = 'ada';

vi.useFakeTimers({ toFake: ['Date'] }); // one window of the limits
const hostile = await startHostileProvider({ right: { claims: () => ({ sub: subject }) } });
const http = await startHttpApp({
  config: { baseUrl: origin, issuer: origin },
  quotas: { signInSteps: steps, signIn: signIns },
  signIn: {
    providers: [hostile.settings('right', { name: 'Right' })],
  },
});
afterAll(async () => {
  vi.useRealTimers();
  await http.close();
  await hostile.close();
});

let networks = 0;
/** A browser in a network of its own. */
const stranger = (): TestBrowser => {
  networks += 1;
  return testBrowser(http.app, { remoteAddress: `198.51.100.${networks}` });
};
const rowsOf = async (table: string): Promise<number> => {
  const { rows } = await http.pool.query<{ count: string }>(`select count(*) from ${table}`);
  return Number(rows[0]?.count);
};
/** Does the same again and again. @returns how often it was answered with each status */
const flood = async (times: number, ask: () => Promise<{ readonly statusCode: number }>) => {
  const found: Record<number, number> = {};
  for (let round = 0; round < times; round += 1) {
    const { statusCode } = await ask();
    found[statusCode] = (found[statusCode] ?? 0) + 1;
  }
  return found;
};
const leave = async (browser: TestBrowser) =>
  browser.press(await browser.get('/sign-in'), 'Sign in with Right');

describe('FX-07: what strangers can reach is limited per network', () => {
  const logout = (browser: TestBrowser) =>
    browser.post('/sign-in/backchannel-logout/right', { logout_token: 'forged' });
  test.each<[string, number, (browser: TestBrowser) => Promise<{ readonly statusCode: number }>]>([
    ['leaving for a provider', 303, leave],
    ['coming back', 400, (browser) => browser.get('/sign-in/callback/right?code=c&state=s')],
    ['a logout token', 400, logout],
    ['coming back from a sign-out', 303, (browser) => browser.get('/sign-out/callback/right?state=s')],
  ])('%s', async (_what, status, ask) => {
    const browser = stranger();
    expect(await flood(steps + 5, () => ask(browser))).toEqual({ [status]: steps, 429: 5 });
    // Nobody else notices.
    expect((await ask(stranger())).statusCode).toBe(status);
  });

  test('the answers say when to try again', async () => {
    const browser = stranger();
    await flood(steps, () => logout(browser));
    const token = await logout(browser);
    expect(token.json()).toMatchObject({ error: 'temporarily_unavailable' });
    const page = await leave(browser);
    for (const { headers } of [token, page]) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(page.body).toContain('Too many attempts to sign in');
  });

  test('logout tokens of the provider itself do not count', async () => {
    const browser = stranger();
    const sent = async () =>
      browser.post('/sign-in/backchannel-logout/right', {
        logout_token: await hostile.signLogoutToken('right', {
          sub: 'nobody',
          jti: randomBytes(8).toString('hex'),
          events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        }),
      });
    expect(await flood(steps + 5, sent)).toEqual({ 200: steps + 5 });
  });
});

describe('FX-08: what strangers send is stored within bounds', () => {
  test('return_to has at most 2,048 characters', async () => {
    const browser = stranger();
    const path = (length: number) => `/${'a'.repeat(length - 1)}`;
    const fits = await browser.get(`/sign-in?return_to=${path(longestReturnTo)}`);
    expect([longestReturnTo, fits.statusCode]).toEqual([2_048, 200]);
    const tooLong = await browser.get(`/sign-in?return_to=${path(longestReturnTo + 1)}`);
    expect(tooLong.statusCode).toBe(400);
    expect(tooLong.body).toContain(
      'The field &quot;return_to&quot; was sent more than once or has more than 2048 characters',
    );
  });

  test('a page of ours that somebody asks for with a longer address is found again after the sign-in', async () => {
    const answer = await stranger().get(`/account?padding=${'a'.repeat(longestReturnTo)}`);
    expect(answer.headers.location).toMatch(/^\/sign-in\?return_to=%2Faccount(%3F.{0,2050})?$/);
    expect((await stranger().get(answer.headers.location ?? '')).statusCode).toBe(200);
  });

  test('a sign-in that is under way is a row for ten minutes, and so many for each network', async () => {
    let time = Date.now();
    const kept = makeProviderSignIns({ pool: http.pool, keys: [randomBytes(32)], now: () => time });
    const before = await rowsOf('provider_sign_ins');
    const keep = (state: string, network: string) =>
      kept.keep(state, { state }, { expiresAt: (time += 1) + 600_000, network });
    await keep('of another network', '203.0.113.2');
    for (let row = 0; row < keptForNetwork + 20; row += 1) await keep(`state ${row}`, '203.0.113.1');
    expect(await rowsOf('provider_sign_ins')).toBe(before + keptForNetwork + 1);
    expect(await kept.take('state 0')).toBeNull();
    expect(await kept.take('of another network')).toEqual({ state: 'of another network' });
    expect(await kept.take(`state ${keptForNetwork + 19}`)).toEqual({
      state: `state ${keptForNetwork + 19}`,
    });
    const { rows } = await http.pool.query<{ network: string }>(
      'select distinct network from provider_sign_ins where network is not null',
    );
    expect(rows.map(({ network }) => network).join()).not.toContain('203.0.113.1');
  });

  test('an id_token that is too long for the address of a sign-out page is not stored', async () => {
    const kept = makeProviderSignIns({ pool: http.pool, keys: [randomBytes(32)], now: () => Date.now() });
    const at = {
      userId: 'U1',
      issuer: 'https://id.example',
      subject: 's',
      sid: null,
      expiresAt: Date.now() + 1_000,
    };
    await kept.note('short', { ...at, idToken: 'x'.repeat(4_000) });
    await kept.note('long', { ...at, idToken: 'x'.repeat(400_000) });
    expect([await kept.idTokenOf('short'), await kept.idTokenOf('long')]).toEqual(['x'.repeat(4_000), null]);
  });

  test('challenges of passkeys that are used up', async () => {
    const [browser, passkey] = [stranger(), softPasskey(origin)];
    // Not the rows of the forms: those of refused ones are removed just after the answer.
    const challenges = "done_once where id like 'passkey:%'";
    const before = await rowsOf(challenges);
    const use = async () => {
      const page = await browser.get('/sign-in/passkey');
      return browser.press(page, 'Use a passkey', { credential: passkey.use(optionsOf(page.body)) });
    };
    expect(await flood(steps + 5, use)).toEqual({ 401: steps, 429: 5 });
    expect(await rowsOf(challenges)).toBe(before + steps);
  });
});

test('FX-09: sign-ins through a provider are limited per identity, from whatever network', async () => {
  const signIn = async () => {
    const browser = stranger();
    const left = await leave(browser);
    const sent = new URL(left.headers.location ?? '').searchParams;
    const code = randomBytes(8).toString('hex');
    hostile.expect(code, sent.get('nonce') ?? '');
    return browser.get(`/sign-in/callback/right?code=${code}&state=${sent.get('state')}`);
  };
  subject = 'grace';
  expect(await flood(signIns + 3, signIn)).toEqual({ 303: signIns, 429: 3 });
  const refused = await signIn();
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  subject = 'lin';
  expect((await signIn()).statusCode).toBe(303);
});
