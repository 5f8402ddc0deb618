import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { memoryCounters } from '../../src/http/limits/counters/memory-counters.ts';
import { makeRateLimiter } from '../../src/http/limits/counters/rate-limiter.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const now = () => Date.now();

describe('§4: what is counted', () => {
  test('several at once are let in up to the quota, and no further', async () => {
    const limiter = makeRateLimiter({ one: 3 }, memoryCounters(), now);
    const all = await Promise.all(Array.from({ length: 10 }, () => limiter.admit({ one: 'a' })));
    expect(all.filter(({ admitted }) => admitted)).toHaveLength(3);
    expect(await limiter.admit({ one: 'b' })).toMatchObject({ admitted: true });
  });

  test('when two are exceeded, both are named, and it takes as long as the longer one', async () => {
    const limiter = makeRateLimiter({ one: 1, two: 1 }, memoryCounters(), now);
    await limiter.admit({ one: 'a', two: 'x' });
    vi.setSystemTime(now() + 20_000);
    await limiter.admit({ one: 'b', two: 'y' });
    expect(await limiter.admit({ one: 'a', two: 'y' })).toEqual({
      admitted: false,
      standings: [
        { policy: 'one', remaining: 0, seconds: 40 },
        { policy: 'two', remaining: 0, seconds: 60 },
      ],
      retryAfter: 60,
    });
  });

  test('without a policy everybody is let in', async () => {
    const limiter = makeRateLimiter({ one: 0 }, memoryCounters(), now);
    expect(limiter.policies).toEqual([]);
    expect(await limiter.admit({ one: 'a' })).toMatchObject({ admitted: true, standings: [] });
  });

  test('an exceeded key is refused without asking the counters until its window ends', async () => {
    const counters = memoryCounters()({ name: 'one', quota: 2, window: 60 });
    const count = vi.spyOn(counters, 'count');
    const limiter = makeRateLimiter({ one: 2 }, () => counters, now);
    for (let time = 0; time < 10; time += 1) await limiter.admit({ one: 'a' });
    expect(count).toHaveBeenCalledTimes(3);
    vi.setSystemTime(now() + 60_000);
    expect(await limiter.admit({ one: 'a' })).toMatchObject({ admitted: true });
  });

  test('a clock that is set back keeps nobody out for longer than a window', async () => {
    const counters = memoryCounters()({ name: 'one', quota: 1, window: 60 });
    const count = vi.spyOn(counters, 'count');
    const limiter = makeRateLimiter({ one: 1 }, () => counters, now);
    await limiter.admit({ one: 'a' });
    await limiter.admit({ one: 'a' });
    vi.setSystemTime(now() - 3_600_000);
    expect(await limiter.admit({ one: 'a' })).toMatchObject({ admitted: false, retryAfter: 60 });
    expect(count).toHaveBeenCalledTimes(3); // what was remembered by the other time is not believed
  });
});

describe('§4: memory', () => {
  test('a flood of keys is forgotten from its beginning, so that it takes no more room than there is', async () => {
    const { count } = memoryCounters(3)({ name: 'one', quota: 5, window: 60 });
    await count('first');
    for (let index = 0; index < 1000; index += 1) await count(`flood ${index}`);
    const remaining = async (key: string) => (await count(key)).remaining;
    expect(await remaining('flood 999')).toBe(3); // still there
    expect(await remaining('flood 998')).toBe(3);
    expect(await remaining('first')).toBe(4); // begins anew
  });

  test('a key that comes again all the time does not push others out', async () => {
    const { count } = memoryCounters(2)({ name: 'one', quota: 500, window: 60 });
    await count('quiet');
    for (let time = 0; time < 100; time += 1) await count('loud');
    expect((await count('quiet')).remaining).toBe(498);
  });
});
