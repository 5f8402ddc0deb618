import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultLifetimes } from '../../../src/commands/kernel/dependencies.ts';
import { makeReadSession } from '../../../src/commands/sign-in/read-session.ts';
import { verifySessionCookie, sessionCookie } from '../../../src/commands/credentials/session-cookie.ts';
import { makeSignIn } from '../../../src/commands/sign-in/sign-in.ts';
import { accountStream, sessionStream } from '../../../src/domain/streams.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';

const credentials = { email: 'ada@example.com', password: 'correct horse' };

const withAda = async () => {
  const market = marketplace();
  const { userId } = valueOf(
    await market.createUser({ ...credentials, name: 'Ada', administratorOf: [], roles: [] }),
  );
  return { ...market, userId };
};

const signedIn = async () => {
  const market = await withAda();
  return { ...market, ...valueOf(await market.signIn(credentials)) };
};

describe('signing in', () => {
  test('starts a session that its cookie opens', async () => {
    const { cookie, session, readSession, userId, now } = await signedIn();
    expect(session).toEqual({
      sessionId: session.sessionId,
      userId,
      name: 'Ada',
      email: credentials.email,
      address: credentials.email,
      roles: [],
      language: null,
      timeZone: null,
      disablings: 0,
      authTime: now(),
      upstream: null,
      passkey: null,
      handOffs: [],
    });
    expect(await readSession(cookie)).toEqual(session);
  });

  test('an unknown address, a wrong password and a disabled account are refused alike', async () => {
    const { signIn, store, userId } = await withAda();
    const refused = { ok: false, refusal: 'wrong-credentials' };
    expect(await signIn({ ...credentials, email: 'bo@example.com' })).toEqual(refused);
    expect(await signIn({ ...credentials, password: 'wrong horse' })).toEqual(refused);
    expect(await signIn({ ...credentials, password: 'x'.repeat(100_000) })).toEqual(refused);
    await store.append(accountStream(userId), 1n, [
      { event: { type: 'AccountDisabled', data: { epoch: 1, at: 1 } } },
    ]);
    expect(await signIn(credentials)).toEqual(refused);
  });

  test('every refusal has spent one hash and the same reads, so none can be distinguished by its time', async () => {
    const market = await withAda();
    const hashed: (string | null)[] = [];
    const signIn = makeSignIn({
      ...market,
      passwords: {
        ...market.passwords,
        verify: (hash, password) => {
          hashed.push(hash);
          return market.passwords.verify(hash, password);
        },
      },
    });
    market.reads.length = 0;
    const from = { network: '192.0.2.1', device: null };
    await signIn({ ...credentials, from, email: 'bo@example.com' });
    await signIn({ ...credentials, from, email: 'not an address' });
    await signIn({ ...credentials, from, password: 'wrong horse' });
    expect(hashed).toEqual([null, null, expect.stringMatching(/^\$argon2id\$/)]);
    expect(market.reads).toHaveLength(6);
  });

  test('keeps nothing in the log that would make the cookie', async () => {
    const { cookie, store } = await signedIn();
    const log = JSON.stringify(store.all().map(({ event, metadata }) => ({ event, metadata })));
    expect(log).not.toContain(cookie.split('.').at(-1));
  });
});

describe('reading a session', () => {
  test('a forged cookie is refused without a look into the log', async () => {
    const { cookie, readSession, reads } = await signedIn();
    reads.length = 0;
    const [, keyId, salt, mac] = cookie.split('.');
    const other = `01ARZ3NDEKTSV4RRFFQ69G5FAV.${keyId}.${salt}.${mac}`;
    for (const forged of ['', '...', other, `${cookie}A`, cookie.slice(0, -4), cookie.replace('k1', 'k2')])
      expect(await readSession(forged)).toBeNull();
    expect(reads).toEqual([]);
  });

  test('the cookie of a key that was removed opens nothing', async () => {
    const { cookie, store, now } = await signedIn();
    const keys = { current: 'k2', keys: new Map([['k2', new Uint8Array(32).fill(7)]]) };
    expect(await makeReadSession({ store, now, keys, lifetimes: defaultLifetimes })(cookie)).toBeNull();
  });

  test('a true MAC over another salt than the session started with opens nothing', async () => {
    const { session, keys, readSession } = await signedIn();
    const ticket = { sessionId: session.sessionId, keyId: 'k1', salt: 'A'.repeat(22) };
    expect(await readSession(sessionCookie(keys, ticket))).toBeNull();
  });

  test('ends after its lifetime', async () => {
    const { cookie, readSession, pass } = await signedIn();
    pass(12 * 3_600_000 - 1);
    expect(await readSession(cookie)).not.toBeNull();
    pass(1);
    expect(await readSession(cookie)).toBeNull();
  });

  test('ends with the disabling of its account, and does not come back with the enabling', async () => {
    const { cookie, session, readSession, store, userId } = await signedIn();
    const at = session.authTime + 1;
    await store.append(accountStream(userId), 1n, [
      { event: { type: 'AccountDisabled', data: { epoch: 1, at } } },
    ]);
    expect(await readSession(cookie)).toBeNull();
    await store.append(accountStream(userId), 2n, [
      { event: { type: 'AccountEnabled', data: { epoch: 1, at } } },
    ]);
    expect(await readSession(cookie)).toBeNull();
  });

  test('that begins while its account is being disabled does not come back with the enabling either', async () => {
    const market = await withAda();
    const { disableUser, enableUser, types, passwords, pass, userId } = market;
    const verify: typeof passwords.verify = async (...given) => {
      pass(1);
      await disableUser(userId);
      pass(1);
      return passwords.verify(...given);
    };
    const signIn = makeSignIn({ ...market, passwords: { ...passwords, verify } });
    expect(await signIn({ ...credentials, from: null })).toEqual({ ok: false, refusal: 'wrong-credentials' });
    await enableUser(userId);
    expect(types().slice(-3)).toEqual(['SessionStarted', 'SessionEnded', 'AccountEnabled']);
  });

  test.each([-60_000, 60_000])(
    'TR-04: the log, and no clock, says whether it began before its account was disabled or after: another instance is off by %d ms',
    async (skew) => {
      const { cookie, readSession, signIn, disableUser, enableUser, userId, pass } = await signedIn();
      pass(skew);
      await disableUser(userId);
      await enableUser(userId);
      pass(-skew);
      expect(await readSession(cookie)).toBeNull();
      const next = valueOf(await signIn(credentials));
      expect(await readSession(next.cookie)).not.toBeNull();
    },
  );

  test('AC-01: shows what was handed off to it until that expires', async () => {
    const { cookie, session, readSession, store, now, pass } = await signedIn();
    const handedOff = { organizationId: 'org', addonId: 'addon' };
    await store.append(sessionStream(session.sessionId), 0n, [
      {
        event: {
          type: 'ActivationHandedOff',
          data: { ...handedOff, at: now(), expiresAt: now() + 600_000 },
        },
      },
    ]);
    pass(599_999);
    expect((await readSession(cookie))?.handOffs).toEqual([handedOff]);
    pass(1);
    expect((await readSession(cookie))?.handOffs).toEqual([]);
  });
});

describe('the cookie', () => {
  const keys = marketplace().keys;
  const ticket = { sessionId: '01ARZ3NDEKTSV4RRFFQ69G5FAV', keyId: 'k1', salt: 'abcdefghijklmnopqrstuv' };
  const cookie = sessionCookie(keys, ticket);

  test('opens to what it was made of', () => {
    expect(verifySessionCookie(keys, cookie)).toEqual(ticket);
  });

  test('needs no quoting in a Cookie header', () => {
    expect(cookie).toMatch(/^[\w.-]+$/);
  });

  test('opens nothing once any character is another', () => {
    fc.assert(
      fc.property(fc.nat(cookie.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, put) => {
        fc.pre(cookie[at] !== put);
        expect(verifySessionCookie(keys, cookie.slice(0, at) + put + cookie.slice(at + 1))).toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });
});
