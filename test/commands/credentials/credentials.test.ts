import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import type { Scope } from '../../../src/domain/access/scope.ts';
import {
  makeAccessTokenHasExpired,
  makeVerifyAccessToken,
  mintAccessToken,
  type AccessTokenClaims,
} from '../../../src/commands/credentials/access-token.ts';
import {
  byteReader,
  byteWriter,
  type ByteWriter,
} from '../../../src/commands/credentials/credential-bytes.ts';
import {
  isFrom,
  mintCredential,
  verifyCredential,
  prefixes,
} from '../../../src/commands/credentials/credentials.ts';
import { signText } from '../../../src/commands/credentials/tagged-text.ts';
import type { TokenKeys } from '../../../src/commands/credentials/token-keys.ts';

const key = randomBytes(32);
const keys: TokenKeys = { current: 'k1', keys: new Map([['k1', key]]) };
const origin = { keyId: 'k1', salt: 'c2FsdHNhbHRzYWx0c2FsdA' };
const address = { grantId: ulid(), rotation: 3, expiresAt: 1_800_000_000_123 };
const refresh = () => mintCredential(keys, 'refresh', origin, address);

const claims: AccessTokenClaims = {
  ...address,
  addonId: ulid(),
  userId: ulid(),
  subject: { kind: 'organization', organizationId: ulid(), epoch: 7 },
  scopes: ['openid', 'access-rights:read'],
  audience: { ownApi: true, among: 1 },
};

describe('credentials', () => {
  test('the same event gives the same credential again, to the letter', () => {
    expect(refresh()).toBe(refresh());
  });

  test('what is opened is what was put in', () => {
    expect(verifyCredential(keys, 'refresh', refresh())).toMatchObject({ ...address, keyId: 'k1' });
  });

  test('each kind has its visible prefix and opens as no other kind', () => {
    expect(refresh()).toMatch(/^mkt_rt_[A-Za-z0-9_-]+$/);
    expect(mintCredential(keys, 'code', origin, address)).toMatch(/^mkt_code_/);
    expect(verifyCredential(keys, 'code', refresh())).toBeNull();
    expect(verifyCredential(keys, 'code', refresh().replace('mkt_rt_', 'mkt_code_'))).toBeNull();
  });

  test('G-08: another salt or another rotation gives another secret of 256 bits', () => {
    const secrets = [
      refresh(),
      mintCredential(keys, 'refresh', { ...origin, salt: 'b3RoZXJvdGhlcm90aGVybw' }, address),
      mintCredential(keys, 'refresh', origin, { ...address, rotation: 4 }),
    ].map((text) => Buffer.from(verifyCredential(keys, 'refresh', text)?.secret ?? []).toString('hex'));
    expect(new Set(secrets).size).toBe(3);
    expect(secrets.every((secret) => secret.length === 64)).toBe(true);
  });

  test('a credential is from the event whose salt it was derived from, and from no other', () => {
    const opened = verifyCredential(keys, 'refresh', refresh());
    if (!opened) throw new Error('it did not open');
    expect(isFrom(keys, 'refresh', opened, origin)).toBe(true);
    expect(isFrom(keys, 'refresh', opened, { ...origin, salt: 'b3RoZXJvdGhlcm90aGVybw' })).toBe(false);
    expect(isFrom(keys, 'refresh', opened, { ...origin, keyId: 'k2' })).toBe(false);
  });

  test('a string with any one bit changed is refused', () => {
    const bytes = Buffer.from(refresh().slice('mkt_rt_'.length), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const forged = Buffer.from(bytes);
      forged[bit >> 3] = (forged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(verifyCredential(keys, 'refresh', `mkt_rt_${forged.toString('base64url')}`)).toBeNull();
    }
  });

  test('another spelling of the same bytes is refused', () => {
    const text = refresh();
    for (const respelled of [`${text}=`, `${text} `, `${text}\n`, text.replace('_rt_', '_rt_ '), `${text}A`])
      expect(verifyCredential(keys, 'refresh', respelled)).toBeNull();
  });

  test('arbitrary strings are refused and never throw', () => {
    fc.assert(
      fc.property(fc.string(), fc.uint8Array({ maxLength: 200 }), (text, bytes) => {
        expect(verifyCredential(keys, 'access', text)).toBeNull();
        expect(verifyCredential(keys, 'access', `mkt_at_${text}`)).toBeNull();
        const encoded = Buffer.from([1, 2, 107, 49, ...bytes]).toString('base64url');
        expect(verifyCredential(keys, 'access', `mkt_at_${encoded}`)).toBeNull();
      }),
    );
    expect(verifyCredential(keys, 'access', `mkt_at_${'A'.repeat(1_000_000)}`)).toBeNull();
  });

  test('a credential of another key under the same id is refused', () => {
    const others: TokenKeys = { current: 'k1', keys: new Map([['k1', randomBytes(32)]]) };
    expect(verifyCredential(others, 'refresh', refresh())).toBeNull();
  });

  test('keys overlap: what the old key made still opens under the new one, until the old is removed', () => {
    const rotated: TokenKeys = { current: 'k2', keys: new Map([...keys.keys, ['k2', randomBytes(32)]]) };
    expect(verifyCredential(rotated, 'refresh', refresh())).toMatchObject({ keyId: 'k1' });
    const removed: TokenKeys = { current: 'k2', keys: new Map([['k2', randomBytes(32)]]) };
    expect(verifyCredential(removed, 'refresh', refresh())).toBeNull();
  });
});

describe('access tokens', () => {
  const open = (token: string, now = address.expiresAt - 1) =>
    makeVerifyAccessToken({ keys, now: () => now })(token);

  test.each<AccessTokenClaims>([
    claims,
    { ...claims, subject: { kind: 'user', userId: claims.userId, epoch: 7 }, scopes: [] },
    { ...claims, audience: { ownApi: false, among: 1 } },
    { ...claims, audience: { ownApi: true, among: 0b1001 } },
    { ...claims, grantId: 'g1', addonId: 'an_addon', userId: 'ü' },
  ])('carry all that the bearer check needs: $subject.kind, $addonId', (expected) => {
    expect(open(mintAccessToken(keys, origin, expected))).toEqual(expected);
  });

  test('are refused from the millisecond of their expiry on, and then said to have expired', () => {
    const token = mintAccessToken(keys, origin, claims);
    const hasExpired = (now: number) => makeAccessTokenHasExpired({ keys, now: () => now })(token);
    expect([open(token, claims.expiresAt - 1), hasExpired(claims.expiresAt - 1)]).toEqual([claims, false]);
    expect([open(token, claims.expiresAt), hasExpired(claims.expiresAt)]).toEqual([null, true]);
  });

  test('LI-10: a forged string is never called expired', () => {
    const forged = `${mintAccessToken(keys, origin, claims).slice(0, -4)}AAAA`;
    expect(makeAccessTokenHasExpired({ keys, now: () => Infinity })(forged)).toBe(false);
  });
});

describe('the layout of access-token claims', () => {
  const fixed: TokenKeys = { current: 'k1', keys: new Map([['k1', Buffer.alloc(32, 7)]]) };
  const before: AccessTokenClaims = {
    grantId: '01JD3FB0M2N4P6Q8R0S2T4V6W8',
    rotation: 3,
    expiresAt: 1_800_000_000_123,
    addonId: '01JD3FA1B2C3D4E5F6G7H8J9K0',
    userId: '01JD3FC1B2C3D4E5F6G7H8J9K1',
    subject: { kind: 'organization', organizationId: '01JD3FD1B2C3D4E5F6G7H8J9K2', epoch: 7 },
    // FX-24: its `openid` is read as all three
    scopes: ['openid', 'profile', 'email', 'access-rights:read'],
    audience: { ownApi: true, among: 1 },
  };
  const userId = before.userId;
  const open = (token: string) => makeVerifyAccessToken({ keys: fixed, now: () => 0 })(token);
  const hasExpired = (token: string) =>
    makeAccessTokenHasExpired({ keys: fixed, now: () => Infinity })(token);
  /** A token with exactly these claims behind what every credential begins with. */
  const sealed = (writeClaims: (writer: ByteWriter) => void) =>
    signText(fixed, prefixes.access, 'k1', (writer) => {
      writer.id(before.grantId);
      writer.uint32(before.rotation);
      writer.instant(before.expiresAt);
      writer.bytes(Buffer.alloc(32, 9));
      writeClaims(writer);
    });

  // Minted by the code of before there was a version; never mint them anew.
  test.each<[string, AccessTokenClaims, string]>([
    [
      "an organization's, with the usual audience",
      before,
      'mkt_at_AQJrMQABk0b1goKpLGujAMi0TZuIAAAAAwGjGFxQe8H8O1J4802d52TAye7TG8EmasKK46OsJ5arl-wSv8zXAAGTRvUFYmDaRxXmgeKJJmAAAZNG9gViYNpHFeaB4okmYQEAAZNG9oViYNpHFeaB4okmYgAAAAcCAQTtbZXm69MUxHKV8dGqKisu',
    ],
    [
      "a user's, with an audience of its own",
      { ...before, subject: { kind: 'user', userId, epoch: 2 }, audience: { ownApi: false, among: 9 } },
      'mkt_at_AQJrMQABk0b1goKpLGujAMi0TZuIAAAAAwGjGFxQe8H8O1J4802d52TAye7TG8EmasKK46OsJ5arl-wSv8zXAAGTRvUFYmDaRxXmgeKJJmAAAZNG9gViYNpHFeaB4okmYQMAAZNG9gViYNpHFeaB4okmYQAAAAICAQQAAAAACfxmwRHRK_anEuCDaJqPSaA',
    ],
  ])('a token from before there was a version stays valid: %s', (_, expected, token) => {
    expect(open(token)).toEqual(expected);
    expect(hasExpired(token)).toBe(true);
  });

  test("a user's token from before there were epochs of users stays valid", () => {
    const ofOld = sealed((writer) => {
      writer.id(before.addonId);
      writer.id(userId);
      writer.byte(2);
      writer.id(userId);
      writer.bytes(Uint8Array.of(2, 1, 4));
    });
    expect(open(ofOld)).toEqual({ ...before, subject: { kind: 'user', userId, epoch: 0 } });
  });

  /** Claims without a version, which end where the usual audience would begin. */
  const usual = (writer: ByteWriter) => {
    writer.id(before.addonId);
    writer.id(userId);
    writer.byte(1);
    writer.id('01JD3FD1B2C3D4E5F6G7H8J9K2');
    writer.uint32(7);
    writer.bytes(Uint8Array.of(2, 1, 4));
  };
  /** Everything of version 1 behind its byte. */
  const versionOne = (writer: ByteWriter) => {
    usual(writer);
    writer.byte(1);
    writer.uint32(1);
  };
  const versioned = (version: number) =>
    sealed((writer) => {
      writer.byte(version);
      versionOne(writer);
    });

  test('OP-11: a new token has the claims that the version before reads, and those with a version are read', () => {
    const rest = verifyCredential(fixed, 'access', mintAccessToken(fixed, origin, before))?.rest;
    const expected = byteWriter();
    usual(expected);
    expect(rest?.bytes(expected.written().length)).toEqual(expected.written());
    expect(rest?.isAtEnd()).toBe(true);
    expect(open(versioned(0xf1))).toEqual(before);
  });

  test.each<[readonly Scope[], number[]]>([
    [['openid'], [1, 255]],
    [
      ['openid', 'profile'],
      [1, 253],
    ],
    [
      ['openid', 'email', 'access-rights:read'],
      [1, 254, 4],
    ],
    [['openid', 'profile', 'email'], [1]],
    [['profiles:read'], [2]],
  ])('FX-24: %j is read as it is; an older version drops the codes above 200', (scopes, codes) => {
    const token = mintAccessToken(fixed, origin, { ...before, scopes });
    expect(open(token)?.scopes).toEqual(scopes);
    const rest = verifyCredential(fixed, 'access', token)?.rest;
    for (const read of ['id', 'id', 'byte', 'id', 'uint32'] as const) rest?.[read]();
    expect([...(rest?.bytes(rest.byte()) ?? [])]).toEqual(codes);
  });

  test.each([0xf0, 0xf2, 0xff])(
    'a token of the unknown version %i is no token, expired or not',
    (version) => {
      expect([open(versioned(version)), hasExpired(versioned(version))]).toEqual([null, false]);
    },
  );

  test('no claims from before there was a version begin with the byte of one: ids of add-ons are ULIDs', () => {
    fc.assert(
      fc.property(fc.ulid(), (addonId) => {
        const writer = byteWriter();
        writer.id(addonId);
        expect(writer.written()[0]).toBe(0);
      }),
    );
  });
});

test('ULIDs take 16 bytes and come back unchanged, and so does any other id', () => {
  const ids = fc.oneof(
    fc.constantFrom(
      '7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
      '0'.repeat(26),
      '8ZZZZZZZZZZZZZZZZZZZZZZZZZ',
      'x'.repeat(255),
    ),
    fc.ulid(),
    fc.string({ minLength: 1, maxLength: 60 }).filter((text) => Buffer.from(text).toString() === text),
  );
  fc.assert(
    fc.property(ids, ids, (a, b) => {
      const writer = byteWriter();
      writer.id(a);
      writer.id(b);
      const reader = byteReader(writer.written());
      expect([reader.id(), reader.id()]).toEqual([a, b]);
    }),
  );
  const writer = byteWriter();
  writer.id(ulid());
  expect(writer.written()).toHaveLength(17);
});

test('a token that was verified before has to be valid again each time: under these keys, and at this time', () => {
  const token = mintAccessToken(keys, origin, claims);
  const at = (instant: number, known = keys) =>
    makeVerifyAccessToken({ keys: known, now: () => instant })(token);
  expect(at(address.expiresAt - 1)).toEqual(claims);
  expect(at(address.expiresAt)).toBeNull();
  const others: TokenKeys = { current: 'k2', keys: new Map([['k2', randomBytes(32)]]) };
  expect(at(address.expiresAt - 1, others)).toBeNull();
  expect(at(address.expiresAt - 1)).toEqual(claims);
});
