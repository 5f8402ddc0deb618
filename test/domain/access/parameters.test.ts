import { describe, expect, test } from 'vitest';
import { isCodeChallenge, isCodeVerifier, isSameChallenge } from '../../../src/domain/access/pkce.ts';
import { parsePrompt } from '../../../src/domain/access/prompt.ts';
import { parseScope } from '../../../src/domain/access/scope.ts';
import { challenge, verifier } from '../../support/scenes/grants.ts';

describe('PKCE', () => {
  test.each([verifier, 'a'.repeat(43), 'a'.repeat(128), '-._~'.repeat(11)])(
    'TC-03: %s may be a verifier',
    (text) => expect(isCodeVerifier(text)).toBe(true),
  );

  test.each([
    '',
    'a'.repeat(42),
    'a'.repeat(129),
    `${'a'.repeat(43)}\n`,
    `${'a'.repeat(42)}+`,
    'ä'.repeat(43),
  ])('TC-03: %j may not', (text) => expect(isCodeVerifier(text)).toBe(false));

  test.each([`${challenge}=`, challenge.replace('-', '+'), `${challenge} `, 'a'.repeat(42), 'a'.repeat(129)])(
    'AZ-18: %j is no challenge',
    (text) => expect(isCodeChallenge(text)).toBe(false),
  );

  test('S4: a hexadecimal digest passes as a challenge and matches no computed one', () => {
    const hexadecimal = Buffer.from(challenge, 'base64url').toString('hex');
    expect(isCodeChallenge(hexadecimal)).toBe(true);
    expect(isSameChallenge(hexadecimal, challenge)).toBe(false);
  });

  test('RFC 7636 §4.6: only the very same challenge matches', () => {
    expect(isSameChallenge(challenge, challenge)).toBe(true);
    expect(isSameChallenge(challenge, `${challenge.slice(0, -1)}N`)).toBe(false);
    expect(isSameChallenge(challenge, `F${challenge.slice(1)}`)).toBe(false);
    expect(isSameChallenge('', '')).toBe(false);
  });
});

describe('prompt (AZ-19)', () => {
  test.each([
    ['none', ['none']],
    ['login consent', ['login', 'consent']],
    ['select_account consent', ['select_account', 'consent']],
    ['login login', ['login']],
    ['none none', ['none']],
    ['', []],
  ])('%j is read', (text, expected) => {
    expect(parsePrompt(text)).toEqual(new Set(expected));
  });

  test.each(['None', 'none select_account', 'none login', 'login\tconsent', 'login,consent', '__proto__'])(
    '%j is refused',
    (text) => expect(parsePrompt(text)).toBeNull(),
  );
});

describe('scope (AZ-16)', () => {
  const allowed = ['openid', 'profiles:read'] as const;

  test('what is asked for and allowed is granted, once and in one order', () => {
    expect(parseScope('profiles:read openid openid', allowed)).toEqual({ ok: true, scopes: allowed });
    expect(parseScope('', allowed)).toEqual({ ok: true, scopes: [] });
  });

  test('FX-24: openid allows profile and email, which are ignored without it', () => {
    const all = ['openid', 'profile', 'email', 'profiles:read'];
    expect(parseScope('email profiles:read profile openid', allowed)).toEqual({ ok: true, scopes: all });
    expect(parseScope('openid email', allowed)).toEqual({ ok: true, scopes: ['openid', 'email'] });
    expect(parseScope('email profiles:read', allowed)).toEqual({ ok: true, scopes: ['profiles:read'] });
    expect(parseScope('openid email', ['profiles:read'])).toEqual({ ok: false, refusal: 'not-allowed' });
  });

  test('a value that does not exist is ignored', () => {
    expect(parseScope('openid offline_access OPENID __proto__', allowed)).toEqual({
      ok: true,
      scopes: ['openid'],
    });
  });

  test('one that exists but is not allowed refuses the whole', () => {
    expect(parseScope('openid access-rights:read', allowed)).toEqual({ ok: false, refusal: 'not-allowed' });
  });

  test.each([' ', ' openid', 'openid ', 'openid  profiles:read'])(
    'AZ-16: %j is not one space between each two values',
    (text) => expect(parseScope(text, allowed)).toEqual({ ok: false, refusal: 'bad-syntax' }),
  );

  test.each(['openid\tprofiles:read', 'open"id', 'open\\id', 'öpenid', 'openid\n', '\u0000', 'a\u007f'])(
    '%j has characters that no scope has',
    (text) => expect(parseScope(text, allowed)).toEqual({ ok: false, refusal: 'bad-syntax' }),
  );
});
