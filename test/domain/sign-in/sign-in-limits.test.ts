import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  attemptSignIn,
  type Counter,
  forgottenAt,
  type Limit,
  rateLimit,
  signInLimits,
  unusedCounter,
  waitAfter,
  withFailure,
} from '../../../src/domain/sign-in/sign-in-limits.ts';

const limit: Limit = { tries: 3, firstWait: 1_000, longestWait: 10_000, forgetOneEvery: 60_000 };
const t0 = Date.UTC(2026, 0, 1);

const failing = (times: number, counter: Counter = unusedCounter, now = t0): Counter =>
  times === 0 ? counter : failing(times - 1, withFailure(limit, counter, now), now);

describe('the wait', () => {
  test.each([
    [0, 0],
    [2, 0],
    [3, 1_000],
    [4, 2_000],
    [5, 4_000],
    [6, 8_000],
    [7, 10_000],
    [2_000, 10_000],
  ])('after %i failures is %i ms: free ones first, then doubled, up to the longest', (failures, wait) => {
    expect(waitAfter(limit, failures)).toBe(wait);
  });

  test.each([
    ['device', 5, 900],
    ['account-and-address', 5, 900],
    ['address', 50, 900],
    ['account', 100, 300],
  ] as const)('of %s begins with 1 s after %i failures and is never longer than %i s', (kind, tries, cap) => {
    expect(waitAfter(signInLimits[kind], tries - 1)).toBe(0);
    expect(waitAfter(signInLimits[kind], tries)).toBe(1_000);
    expect(waitAfter(signInLimits[kind], 1_000)).toBe(cap * 1_000);
  });
});

describe('forgetting', () => {
  test('one failure after each interval, and all of them in the end', () => {
    const five = failing(5);
    expect(withFailure(limit, five, t0 + 59_999).failures).toBe(6);
    expect(withFailure(limit, five, t0 + 60_000).failures).toBe(5);
    expect(withFailure(limit, five, t0 + 60_000 * 4).failures).toBe(2);
    expect(withFailure(limit, five, t0 + 60_000 * 50).failures).toBe(1);
  });

  test('goes on from where it was: failures in between do not put it off', () => {
    const later = withFailure(limit, failing(2), t0 + 30_000);
    expect(withFailure(limit, later, t0 + 60_000).failures).toBe(3);
  });

  test('a counter is kept until it is as good as unused', () => {
    expect(forgottenAt(limit, failing(2))).toBe(t0 + 120_000);
    expect(forgottenAt({ ...limit, longestWait: 600_000, forgetOneEvery: 1 }, failing(5))).toBe(t0 + 4_000);
  });

  test('a clock that is behind forgets nothing and breaks nothing', () => {
    expect(withFailure(limit, failing(2), t0 - 5_000)).toMatchObject({ failures: 3 });
  });
});

describe('an attempt', () => {
  const of = (counter: Counter) => ({ kind: 'address', limit, counter }) as const;

  test('is counted in all counters when none of them blocks', () => {
    const attempt = attemptSignIn([of(failing(2)), of(unusedCounter)], t0);
    expect(attempt.admitted && attempt.counted.map(({ counter }) => counter.failures)).toEqual([3, 1]);
  });

  test('that is free blocks nobody, not even one whose clock is a moment behind', () => {
    const first = failing(1);
    expect(attemptSignIn([{ kind: 'account', limit, counter: first }], t0 - 5)).toMatchObject({
      admitted: true,
    });
  });

  test('is refused until the last of the blocks is over, and then admitted', () => {
    const counters = [of(failing(3)), of(failing(5)), of(unusedCounter)];
    expect(attemptSignIn(counters, t0 + 3_999)).toEqual({ admitted: false, ended: false, until: t0 + 4_000 });
    expect(attemptSignIn(counters, t0 + 4_000)).toMatchObject({ admitted: true });
  });

  test('however they come, attempts that are admitted stay within what the limit allows for the time', () => {
    const anyLimit = fc.record({
      tries: fc.integer({ min: 1, max: 20 }),
      firstWait: fc.integer({ min: 1, max: 5_000 }),
      longestWait: fc.integer({ min: 5_000, max: 900_000 }),
      forgetOneEvery: fc.integer({ min: 1_000, max: 900_000 }),
    });
    const gaps = fc.array(fc.oneof(fc.constant(0), fc.nat(2_000), fc.nat(1_000_000)), { maxLength: 200 });
    fc.assert(
      fc.property(anyLimit, gaps, (chosen, waits) => {
        let now = t0;
        let counter: Counter = unusedCounter;
        let admitted = 0;
        for (const wait of waits) {
          now += wait;
          const attempt = attemptSignIn([{ kind: 'account', limit: chosen, counter }], now);
          // Admitted exactly when the block is over, which is never further away than the longest wait.
          expect(attempt.admitted).toBe(now >= counter.blockedUntil);
          expect(counter.blockedUntil - now).toBeLessThanOrEqual(chosen.longestWait);
          if (!attempt.admitted) continue;
          admitted += 1;
          counter = attempt.counted[0]?.counter ?? counter;
        }
        // Every failure beyond the free ones has waited its doubled wait, and only time forgets.
        const elapsed = now - t0;
        const waited = Array.from({ length: Math.max(0, counter.failures - chosen.tries) }, (_, index) =>
          waitAfter(chosen, chosen.tries + index),
        );
        expect(waited.reduce((sum, wait) => sum + wait, 0)).toBeLessThanOrEqual(elapsed);
        expect(admitted).toBeLessThanOrEqual(counter.failures + Math.floor(elapsed / chosen.forgetOneEvery));
      }),
      { numRuns: 500 },
    );
  });

  test('an attacker who never sleeps gets no more guesses in a day than the limits promise', () => {
    const guesses = (kind: keyof typeof signInLimits) => {
      let counter: Counter = unusedCounter;
      let count = 0;
      for (let now = t0; now < t0 + 86_400_000; now = Math.max(now, counter.blockedUntil)) {
        const attempt = attemptSignIn([{ kind, limit: signInLimits[kind], counter }], now);
        if (!attempt.admitted) throw new Error('blocked after its block');
        counter = attempt.counted[0]?.counter ?? counter;
        count += 1;
      }
      return count;
    };
    expect(guesses('account-and-address')).toBeLessThanOrEqual(120);
    expect(guesses('device')).toBeLessThanOrEqual(120);
    expect(guesses('account')).toBeLessThanOrEqual(410);
    expect(guesses('address')).toBeLessThanOrEqual(1_550);
  });
});

describe('RATE_LIMIT_SIGN_IN', () => {
  test('lets so many through at once, then one each part of a minute', () => {
    expect(rateLimit(30)).toEqual({
      tries: 30,
      firstWait: 2_000,
      longestWait: 2_000,
      forgetOneEvery: 2_000,
    });
    expect(rateLimit(0)).toBeNull();
  });
});
