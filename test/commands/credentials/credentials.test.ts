import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import type { Scope } from '../../../src/domain/access/scope.ts';
import {
  makeOwnerOfExpired,
  makeVerifyAccessToken,
  mintAccessToken,
  type AccessTokenClaims,
} from '../../../src/commands/credentials/access-token.ts';
import { byteReader, byteWriter } from '../../../src/commands/credentials/credential-bytes.ts';
import { isFrom, mintCredential, verifyCredential } from '../../../src/commands/credentials/credentials.ts';
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
    const ownerOfExpired = (now: number) => makeOwnerOfExpired({ keys, now: () => now })(token);
    expect([open(token, claims.expiresAt - 1), ownerOfExpired(claims.expiresAt - 1)]).toEqual([claims, null]);
    expect([open(token, claims.expiresAt), ownerOfExpired(claims.expiresAt)]).toEqual([null, claims.addonId]);
  });

  test('LI-10: a forged string is never called expired', () => {
    const forged = `${mintAccessToken(keys, origin, claims).slice(0, -4)}AAAA`;
    expect(makeOwnerOfExpired({ keys, now: () => Infinity })(forged)).toBe(null);
  });
});

describe('the layout of access-token claims', () => {
  const open = (token: string) => makeVerifyAccessToken({ keys, now: () => 0 })(token);
  const hasExpired = (token: string) => makeOwnerOfExpired({ keys, now: () => Infinity })(token) !== null;

  /** A token with these claims of an organization's grant, written by hand. */
  const written = (layout: number, scopeCodes: readonly number[]) =>
    mintCredential(keys, 'access', origin, address, (writer) => {
      writer.byte(layout);
      writer.id(claims.addonId);
      writer.id(claims.userId);
      writer.byte(1);
      writer.id('organizationId' in claims.subject ? claims.subject.organizationId : '');
      writer.uint32(claims.subject.epoch);
      writer.bytes(Uint8Array.of(scopeCodes.length, ...scopeCodes));
      writer.byte(1);
      writer.uint32(1);
    });

  test.each<[readonly Scope[], readonly number[]]>([
    [['openid'], [1]],
    [
      ['openid', 'profile', 'email'],
      [1, 253, 254],
    ],
    [['profiles:read'], [2]],
    [
      ['openid', 'email', 'access-rights:read'],
      [1, 254, 4],
    ],
  ])('FX-24: %j has a code for each scope', (scopes, codes) => {
    expect(mintAccessToken(keys, origin, { ...claims, scopes })).toBe(written(1, codes));
    expect(open(written(1, codes))).toEqual({ ...claims, scopes });
  });

  test('OP-11: a scope that only a newer version knows is dropped, and the token valid', () => {
    expect(open(written(1, [1, 200, 4]))).toEqual(claims);
  });

  test.each([0, 2, 3, 0xf1])('a token in layout %i is no token of a grant, expired or not', (layout) => {
    expect([open(written(layout, [1, 4])), hasExpired(written(layout, [1, 4]))]).toEqual([null, false]);
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
