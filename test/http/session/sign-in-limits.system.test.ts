import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import {
  makePasswords,
  type Passwords,
  PasswordsBusy,
} from '../../../src/commands/people/credentials/passwords.ts';
import { type OwnHttpApp, startHttpApp } from '../../support/scenes/http-app.ts';
import { createUser, password } from '../../support/scenes/http-scene.ts';
import { forgetCookie, testBrowser, type TestBrowser, type Whereabouts } from '../../support/scenes/pages.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';
import { cookieName } from '../../../src/http/session/cookies.ts';
import { cookieOf } from '../../support/scenes/our-cookies.ts';

const minute = 60_000;
const real = await makePasswords({ memoryCost: 8, timeCost: 1, parallelism: 1 });

let http: OwnHttpApp;
/** Whether the next test may use the app; it has an account of its own, and no failures are counted. */
let isReusable = false;
let people = 0;
/** Somebody else's, which no account has unless the test creates it. */
let [email, bob] = ['', ''];
/** How many passwords were really looked at. */
let verified: number;

const counting: Passwords = {
  ...real,
  verify: (hash, typed) => {
    verified += 1;
    return real.verify(hash, typed);
  },
};

const begin = async () => {
  verified = 0;
  people += 1;
  [email, bob] = [`ada${people}@harbour.example`, `bob${people}@harbour.example`];
  await createUser(http, email);
};
/** Another app, for this test only. */
const restart = async (options: Parameters<typeof startHttpApp>[0] = {}) => {
  await http?.close();
  isReusable = false;
  http = await startHttpApp({ startAt: Date.UTC(2026, 0, 1), passwords: counting, ...options });
  await begin();
};

beforeEach(async () => {
  if (!isReusable) {
    await restart();
    isReusable = true;
    return;
  }
  await http.pool.query('truncate sign_in_counters');
  await begin();
});
afterAll(() => http.close());

const attempt = async (browser: TestBrowser, typed: string, as = email): Promise<LightMyRequestResponse> =>
  browser.press(await browser.get('/sign-in'), 'Sign in', { email: as, password: typed });

/** From a browser that nobody has seen before. */
const from = (remoteAddress: string, app: FastifyInstance = http.app) => testBrowser(app, { remoteAddress });

const fail = async (times: number, browser: TestBrowser, as = email) => {
  for (let time = 0; time < times; time += 1) {
    const { statusCode, body } = await attempt(browser, 'wrong', as);
    expect([statusCode, body.includes(` value="${as}"`)]).toEqual([401, true]); // what was typed stays
  }
};

const answered = ({ statusCode, headers }: LightMyRequestResponse) => [statusCode, headers['retry-after']];

describe('too many attempts', () => {
  test('the sixth attempt on an account is refused with 429 and Retry-After, and says so on the page', async () => {
    const browser = from('192.0.2.1');
    await fail(5, browser);
    const refused = await attempt(browser, password);
    expect(answered(refused)).toEqual([429, '1']);
    expect(refused.body).toContain('Try again in 1 second.');
    expect(refused.body).toContain(`value="${email}"`);
    expect(refused.headers['cache-control']).toBe('no-store, no-transform');
    expect(verified).toBe(5);
  });

  test('a block ends by itself, is twice as long after each failure, and no attempt prolongs it', async () => {
    const browser = from('192.0.2.1');
    await fail(5, browser);
    for (const seconds of [1, 2, 4, 8]) {
      for (let again = 0; again < 5; again += 1)
        expect(answered(await attempt(browser, 'wrong'))).toEqual([429, String(seconds)]);
      http.advance(seconds * 1_000 - 1);
      expect(answered(await attempt(browser, 'wrong'))).toEqual([429, '1']);
      http.advance(1);
      await fail(1, browser);
    }
    http.advance(16_000);
    expect((await attempt(browser, password)).statusCode).toBe(303);
  });

  test('a success forgets the failures of that address on that account', async () => {
    const browser = from('192.0.2.1');
    await fail(4, browser);
    expect((await attempt(browser, password)).statusCode).toBe(303);
    const fresh = from('192.0.2.1');
    await fail(5, fresh);
    expect((await attempt(fresh, 'wrong')).statusCode).toBe(429);
  });

  test('fifty parallel wrong passwords let five be looked at', async () => {
    const browser = from('192.0.2.1');
    const page = await browser.get('/sign-in');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => browser.press(page, 'Sign in', { email, password: `wrong ${n}` })),
    );
    expect(verified).toBe(5);
    expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(5);
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(45);
  });

  test('an address that fails on many accounts is blocked for all of them; its own account does not help', async () => {
    await createUser(http, 'mallory@example.com');
    const browser = from('192.0.2.66');
    for (let account = 0; account < 49; account += 1) await fail(1, browser, `user${account}@example.com`);
    expect((await attempt(browser, password, 'mallory@example.com')).statusCode).toBe(303);
    await fail(1, from('192.0.2.66'), 'one.more@example.com');
    expect(answered(await attempt(from('192.0.2.66'), password))).toEqual([429, '1']);
    expect((await attempt(from('192.0.2.67'), password)).statusCode).toBe(303);
  });

  test('an account under attack from everywhere makes unknown browsers wait, five minutes at most', async () => {
    for (let address = 1; address <= 100; address += 1) await fail(1, from(`198.51.100.${address}`));
    expect(answered(await attempt(from('203.0.113.1'), password))).toEqual([429, '1']);
    http.advance(1_000);
    expect((await attempt(from('203.0.113.1'), password)).statusCode).toBe(303);
  });

  test('what is not looked at because the log is away is not counted', async () => {
    expectTrouble(/request failed: temporarily unavailable .*connection lost/);
    let broken = false;
    await restart({
      passwords: {
        ...counting,
        verify: (hash, typed) => {
          if (broken) throw Object.assign(new Error('connection lost'), { code: 'ECONNREFUSED' });
          return counting.verify(hash, typed);
        },
      },
    });
    const browser = from('192.0.2.1');
    broken = true;
    for (let time = 0; time < 10; time += 1) expect((await attempt(browser, password)).statusCode).toBe(503);
    broken = false;
    expect((await attempt(browser, password)).statusCode).toBe(303);
  });
});

describe('RATE_LIMIT_SIGN_IN', () => {
  test('bounds all attempts of an address, the successful ones too', async () => {
    await restart({ signInsPerMinute: 3 });
    for (let time = 0; time < 3; time += 1)
      expect((await attempt(from('192.0.2.1'), password)).statusCode).toBe(303);
    expect(answered(await attempt(from('192.0.2.1'), password))).toEqual([429, '20']);
    expect((await attempt(from('192.0.2.2'), password)).statusCode).toBe(303);
    http.advance(20_000);
    expect((await attempt(from('192.0.2.1'), password)).statusCode).toBe(303);
  });

  test('bounds a browser that the account knows too, by itself: nobody elsewhere uses up its pace', async () => {
    await restart({ signInsPerMinute: 3 });
    const owner = from('192.0.2.1');
    const again = async () => {
      forgetCookie(owner, 'grantbook_session');
      return attempt(owner, password);
    };
    for (let time = 0; time < 3; time += 1)
      expect((await attempt(from('192.0.2.1'), 'wrong')).statusCode).toBe(401);
    expect((await attempt(from('192.0.2.1'), 'wrong')).statusCode).toBe(429);
    http.advance(20_000);
    for (let time = 0; time < 4; time += 1) expect((await again()).statusCode).toBe(303);
    expect(answered(await again())).toEqual([429, '20']);
    expect(verified).toBe(7);
    http.advance(20_000);
    expect((await again()).statusCode).toBe(303);
  });
});

describe('several instances', () => {
  test('share their counters', async () => {
    const other = http.another();
    await fail(3, from('192.0.2.1'));
    await fail(2, from('192.0.2.1', other));
    expect((await attempt(from('192.0.2.1'), password)).statusCode).toBe(429);
    expect((await attempt(from('192.0.2.1', other), password)).statusCode).toBe(429);
  });

  test('a restart ends no block', async () => {
    await fail(5, from('192.0.2.1'));
    isReusable = false;
    await http.app.close();
    expect((await attempt(from('192.0.2.1', http.another()), password)).statusCode).toBe(429);
  });

  test('AZ-41: refuse the session that another one has ended', async () => {
    const other = http.another();
    const browser = from('192.0.2.1');
    await browser.signIn(email, password);
    const elsewhere = from('192.0.2.1', other);
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);
    expect((await elsewhere.get('/admin')).statusCode).toBe(200);
    await browser.press(await browser.get('/sign-out'), 'Sign out');
    expect((await elsewhere.get('/admin')).statusCode).toBe(303);
  });
});

describe('an account that does not exist', () => {
  const comparable = ({ statusCode, headers, body }: LightMyRequestResponse) => {
    const { 'set-cookie': _cookie, date: _date, 'content-length': _length, ...rest } = headers;
    return {
      statusCode,
      rest,
      body: body
        .replaceAll(/(name="interaction" value|interaction)="?[^"]*"/g, '')
        .replaceAll(/(ada|bob)\d+@harbour\.example/g, 'somebody'),
    };
  };

  test('is answered like one that does, failure for failure', async () => {
    const [known, unknown] = [from('192.0.2.1'), from('192.0.2.2')];
    for (let time = 0; time < 8; time += 1) {
      const there = await attempt(known, 'wrong');
      const notThere = await attempt(unknown, 'wrong', bob);
      expect(comparable(notThere)).toEqual(comparable(there));
      expect(there.statusCode).toBe(time < 5 ? 401 : 429);
    }
    expect(verified).toBe(10);
  });

  test('is one account, however its address is spelt', async () => {
    const browser = from('192.0.2.1');
    await fail(3, browser, bob);
    await fail(2, browser, ` ${bob.toUpperCase()}`);
    expect((await attempt(browser, 'wrong', bob.replace('harbour', 'Harbour'))).statusCode).toBe(429);
  });
});

describe('a browser that the account knows', () => {
  const nameOfDevice = () => cookieName({ baseUrl: http.baseUrl, secureCookies: false }, 'device');
  const knownBrowser = async (as = email, whereabouts: Whereabouts = { remoteAddress: '203.0.113.7' }) => {
    const browser = testBrowser(http.app, whereabouts);
    await browser.signIn(as, password);
    forgetCookie(browser, 'grantbook_session');
    return browser;
  };

  test('gets its owner in while an attacker hammers on the account, even from the same address', async () => {
    const owner = await knownBrowser();
    const attacker = from('203.0.113.7');
    await fail(5, attacker);
    for (let address = 1; address <= 95; address += 1) await fail(1, from(`198.51.100.${address}`));
    expect((await attempt(attacker, 'wrong')).statusCode).toBe(429);
    expect((await attempt(from('203.0.113.8'), password)).statusCode).toBe(429);
    expect((await attempt(owner, password)).statusCode).toBe(303);
  });

  test('waits after five failures of its own, and keeps nobody else out', async () => {
    const stolen = await knownBrowser();
    await fail(5, stolen);
    expect(answered(await attempt(stolen, password))).toEqual([429, '1']);
    expect((await attempt(from('203.0.113.7'), password)).statusCode).toBe(303);
    http.advance(1_000);
    expect((await attempt(stolen, password)).statusCode).toBe(303);
  });

  test('AZ-41: has a cookie that scripts and other sites cannot use, for a year, with no address in it', async () => {
    const browser = from('192.0.2.1');
    const answer = await attempt(browser, password);
    const cookie = answer.cookies.find(({ name }) => name === nameOfDevice());
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/', maxAge: 365 * 86_400 });
    expect(cookie?.value).toMatch(/^[\w.-]+$/);
    // Random characters may be those of a name: its parts, decoded, and the whole are nobody's address.
    const parts = (cookie?.value ?? '')
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    expect([cookie?.value, ...parts].join(' ')).not.toMatch(/ada\d*@|harbour/);
  });

  test('is no better known by a forged cookie, one of another account, or one that is too old', async () => {
    await createUser(http, bob);
    const own = cookieOf(await knownBrowser(), 'device') ?? '';
    const bobs = cookieOf(await knownBrowser(bob), 'device') ?? '';
    await fail(5, from('192.0.2.1'));
    const [deviceId, keyId, expiresAt, mac] = own.split('.');
    const forged = [
      bobs,
      `${'A'.repeat(22)}.${keyId}.${expiresAt}.${mac}`,
      `${deviceId}.${keyId}.${Number(expiresAt) + 1}.${mac}`,
      `${deviceId}.k2.${expiresAt}.${mac}`,
      `${own.slice(0, -4)}AAAA`,
      '~~~',
    ];
    const withCookie = (value: string) => {
      const browser = from('192.0.2.1');
      browser.cookies.set(nameOfDevice(), value);
      return attempt(browser, password);
    };
    for (const value of forged) expect((await withCookie(value)).statusCode).toBe(429);
    expect((await withCookie(`${bobs}~${own}`)).statusCode).toBe(303);
    http.advance(365 * 86_400_000);
    await fail(5, from('192.0.2.1'));
    expect((await withCookie(own)).statusCode).toBe(429);
  });

  test('is known to each of the people who share it', async () => {
    await createUser(http, bob);
    const shared = await knownBrowser();
    await shared.signIn(bob, password);
    forgetCookie(shared, 'grantbook_session');
    await fail(5, from('203.0.113.7'));
    await fail(5, from('203.0.113.7'), bob);
    expect((await attempt(shared, password)).statusCode).toBe(303);
    forgetCookie(shared, 'grantbook_session');
    expect((await attempt(shared, password, bob)).statusCode).toBe(303);
  });
});

describe('for auditors', () => {
  const noted = async () => {
    await http.settle();
    const account = await http.commands.signIn({ email, password, from: null });
    if (!account.ok) throw new Error(account.refusal);
    const { events } = await http.store.read(`account-${account.value.session.userId}`);
    return events.map(({ event }) => event).filter(({ type }) => type.startsWith('SignIn'));
  };

  test('the begin of a block is in the log, without addresses and at most once in six hours', async () => {
    await restart();
    await fail(4, from('192.0.2.1'));
    expect(await noted()).toEqual([]);
    await fail(1, from('192.0.2.1'));
    const at = Date.UTC(2026, 0, 1);
    const block = { counter: 'account-and-address', failures: 5, until: at + 1_000, at };
    expect(await noted()).toEqual([{ type: 'SignInBlocked', data: block }]);
    await fail(5, from('192.0.2.2'));
    expect(await noted()).toHaveLength(1);
    http.advance(6 * 60 * minute);
    await fail(5, from('192.0.2.3'));
    expect(await noted()).toHaveLength(2);
  });

  test('nothing is noted of accounts that do not exist', async () => {
    await fail(5, from('192.0.2.1'), 'nobody@example.com');
    await http.settle();
    expect(await noted()).toEqual([]);
  });
});

describe('an operator', () => {
  test('has the failures of one account forgotten, which is in the log, and no others', async () => {
    const browser = from('192.0.2.1');
    await fail(5, browser);
    await fail(5, browser, bob);
    const owner = await http.commands.signIn({ email, password, from: null });
    if (!owner.ok) throw new Error(owner.refusal);
    const { userId } = owner.value.session;
    expect(await http.commands.unblockSignIn(userId)).toEqual({ ok: true, value: { forgotten: 2 } });
    expect((await attempt(browser, password)).statusCode).toBe(303);
    const other = await attempt(from('192.0.2.1'), 'wrong', bob);
    expect(other.statusCode).toBe(429);
    const { events } = await http.store.read(`account-${userId}`);
    expect(events.at(-1)).toMatchObject({
      event: { type: 'SignInUnblocked' },
      metadata: { actor: 'break-glass' },
    });
  });

  test('is the same for an account that does not exist', async () => {
    const refused = { ok: false, refusal: 'user-unknown' };
    expect(await http.commands.unblockSignIn('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toEqual(refused);
    expect(await http.commands.unblockSignIn('no id')).toEqual(refused);
  });
});

describe('more sign-ins than can be hashed', () => {
  test('have to try again, and are not counted', async () => {
    let busy = true;
    await restart({
      passwords: {
        ...real,
        verify: (hash, typed) =>
          busy ? Promise.reject(new PasswordsBusy('full')) : real.verify(hash, typed),
      },
    });
    for (let time = 0; time < 6; time += 1)
      expect(answered(await attempt(from('192.0.2.1'), password))).toEqual([503, '2']);
    busy = false;
    expect((await attempt(from('192.0.2.1'), password)).statusCode).toBe(303);
  });
});

describe('behind a proxy', () => {
  const forwarded = (remoteAddress: string, address: string) =>
    testBrowser(http.app, { remoteAddress, headers: { 'x-forwarded-for': address } });

  test('the address that a trusted proxy adds is the one that counts, not what the browser wrote before it', async () => {
    await restart({ config: { trustedProxies: ['10.0.0.0/8'] } });
    for (let time = 1; time <= 5; time += 1)
      await fail(1, forwarded('10.1.2.3', `198.51.100.${time}, 192.0.2.1`));
    expect((await attempt(forwarded('10.1.2.3', '192.0.2.1, 10.9.9.9'), password)).statusCode).toBe(429);
    expect((await attempt(forwarded('10.1.2.3', '192.0.2.2'), password)).statusCode).toBe(303);
  });

  test('FX-32: hops may have ports, in every position', async () => {
    await restart({ config: { trustedProxies: ['10.0.0.0/8', '2001:db8::1'] } });
    const chain = '192.0.2.1:4711, 10.9.9.9:443, [2001:db8::1]:8443';
    for (let time = 1; time <= 5; time += 1)
      await fail(1, forwarded('10.1.2.3', `198.51.100.${time}:1, ${chain}`));
    expect((await attempt(forwarded('10.1.2.3', '192.0.2.1'), password)).statusCode).toBe(429);
    expect((await attempt(forwarded('10.1.2.3', '10.9.9.9:443, 192.0.2.2:1'), password)).statusCode).toBe(
      303,
    );
  });

  test('a forged X-Forwarded-For of anybody else counts for nothing', async () => {
    for (const trustedProxies of [[], ['10.0.0.0/8']]) {
      await restart({ config: { trustedProxies } });
      for (let time = 1; time <= 5; time += 1) await fail(1, forwarded('192.0.2.1', `198.51.100.${time}`));
      expect((await attempt(forwarded('192.0.2.1', '198.51.100.9'), password)).statusCode).toBe(429);
    }
  });
});
