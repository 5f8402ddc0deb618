import { expect, test } from 'vitest';
import { makeConcurrencyLimiter } from '../../src/common/concurrency-limiter.ts';

test('so many work at a time, the others in their order; who fails makes room too', async () => {
  const limiter = makeConcurrencyLimiter({ atOnce: 2 });
  const begun: number[] = [];
  const ends: ((failure?: Error) => void)[] = [];
  const all = [0, 1, 2, 3].map((n) =>
    limiter
      .run(() => {
        begun.push(n);
        return new Promise<number>((resolve, reject) =>
          ends.push((failure) => (failure ? reject(failure) : resolve(n))),
        );
      })
      .catch((error: Error) => error.message),
  );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  expect(begun).toEqual([0, 1]);
  ends[1]?.(new Error('no'));
  await settle();
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  ends[2]?.();
  await settle();
  ends[3]?.();
  expect(await Promise.all(all)).toEqual([0, 'no', 2, 3]);
  const last = limiter.run(() => Promise.resolve('again'));
  expect(await last).toBe('again');
});
