import { expect, test } from 'vitest';
import { authTimeOf, judgeFreshness } from '../../src/federation/freshness.ts';

const seconds = (count: number) => count * 1000;
const now = 1_800_000_000_000;
/** The user was away for 20 s, and signed in there 10 s ago. */
const facts = { sentAt: now - seconds(20), now, issuedAt: now, authTime: now - seconds(10) };
const hours = 3_600;

test.each([
  ['nothing is demanded', { again: false, maxAge: null }, { authTime: now - seconds(9 * hours) }, 'fresh'],
  ['a new sign-in, and there was one', { again: true, maxAge: null }, {}, 'fresh'],
  [
    'a new sign-in, and there was none',
    { again: true, maxAge: null },
    { authTime: now - seconds(60) },
    'stale',
  ],
  [
    'a recent one, and it is',
    { again: false, maxAge: seconds(300) },
    { authTime: now - seconds(310) },
    'fresh',
  ],
  [
    'a recent one, and it is older',
    { again: false, maxAge: seconds(300) },
    { authTime: now - seconds(400) },
    'stale',
  ],
  ['a recent one, and nobody knows', { again: false, maxAge: seconds(300) }, { authTime: null }, 'ask-again'],
  [
    'a new one, and nobody knows but the id_token is new',
    { again: true, maxAge: null },
    { authTime: null },
    'fresh',
  ],
  [
    'a new one, and the id_token is an old one',
    { again: true, maxAge: null },
    { authTime: null, issuedAt: now - seconds(300) },
    'stale',
  ],
  [
    'a new one, at a provider whose clock is an hour ahead',
    { again: true, maxAge: null },
    { issuedAt: now + seconds(hours), authTime: now + seconds(hours - 10) },
    'fresh',
  ],
] as const)('FE-05: %s', (_what, demand, change, judged) => {
  expect(judgeFreshness(demand, { ...facts, ...change })).toBe(judged);
});

test('FE-05: a time that is none, or is after the id_token was issued, is not when the user signed in', () => {
  const inSeconds = now / 1000;
  expect(authTimeOf(inSeconds - 9.5, now)).toBe(now - seconds(10));
  expect(authTimeOf(inSeconds + 30, now)).toBe(now + seconds(30));
  for (const value of [undefined, null, '1', 0, -1, Number.NaN, 1e300, now, inSeconds + 61])
    expect([value, authTimeOf(value, now)]).toEqual([value, null]);
});
