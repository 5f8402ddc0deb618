import { describe, expect, test } from 'vitest';
import { joinClaims, readClaims } from '../../src/federation/read-claims.ts';

const names = { name: 'name', email: 'email', administratorOf: null, roles: null };
const email = 'ada@example.com';
const read = (claims: object, setting?: 'claim' | 'assumed', claim = 'email') =>
  readClaims(claims as Record<string, unknown>, {
    claims: { ...names, email: claim },
    ...(setting && { emailVerified: setting }),
  });

describe('FX-01: email_verified', () => {
  test('vouches for the address only if it is true', () => {
    expect(read({ email, email_verified: true })).toMatchObject({ email, emailVerified: true });
    for (const value of [false, 'true', 'false', 1, 0, [true], ['true'], { true: true }, null, ''])
      expect([value, read({ email, email_verified: value }).emailVerified]).toEqual([value, false]);
    expect(read({ email })).toMatchObject({ email, emailVerified: false });
  });

  test('is assumed where the provider never sends it, and read where it does', () => {
    expect(read({ email }, 'assumed').emailVerified).toBe(true);
    expect(read({ email, email_verified: true }, 'assumed').emailVerified).toBe(true);
    for (const value of [false, 'true', null, 1])
      expect(read({ email, email_verified: value }, 'assumed').emailVerified).toBe(false);
  });

  test('says nothing about an address of another claim', () => {
    const claims = { email, email_verified: true, preferred_username: 'victim@example.com' };
    expect(read(claims, 'claim', 'preferred_username').emailVerified).toBe(false);
    expect(read({ ...claims, preferred_username: email }, 'claim', 'preferred_username').emailVerified).toBe(
      true,
    );
    expect(read({ email_verified: true, upn: email }, 'claim', 'upn').emailVerified).toBe(false);
    expect(read({ upn: email }, 'assumed', 'upn').emailVerified).toBe(true);
  });

  test('of the UserInfo response is about the address there, not about that of the id_token', () => {
    const verified = (idToken: object, userInfo: object) =>
      read(joinClaims(idToken as Record<string, unknown>, userInfo as Record<string, unknown>));
    expect(verified({ email: 'victim@example.com' }, { email, email_verified: true })).toMatchObject({
      email: 'victim@example.com',
      emailVerified: false,
    });
    expect(verified({ email }, { email, email_verified: true }).emailVerified).toBe(true);
    expect(verified({}, { email, email_verified: true }).emailVerified).toBe(true);
    expect(verified({ email, email_verified: true }, {}).emailVerified).toBe(true);
    expect(verified({ email_verified: true }, { email }).emailVerified).toBe(false);
    expect(verified({ email, email_verified: false }, { email, email_verified: true }).emailVerified).toBe(
      false,
    );
  });
});

test('FE-04: an entry of a list that no name can have is ignored', () => {
  const claims = { organizations: ['acme', 'a\0cme', 'x'.repeat(201), '', 5] };
  const { mapped } = readClaims(claims, { claims: { ...names, administratorOf: 'organizations' } });
  expect(mapped.administratorOf).toEqual(['acme']);
});

test('AP-10: a role names a publisher by its id', () => {
  const claims = { roles: ['operator', 'publisher:P1', 'publisher', { role: 'publisher:P2' }] };
  const { mapped } = readClaims(claims, { claims: { ...names, roles: 'roles' } });
  expect(mapped).toEqual({ administratorOf: [], roles: ['operator'], publishers: ['P1', 'P2'] });
});
