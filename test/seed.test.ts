import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed, seedOf } from './support/seed.ts';

test('draws are the same in every run, unless another seed is asked for', () => {
  expect(seedOf(undefined)).toBe(seedOf(undefined));
  expect(seedOf('7')).toBe(7);
  expect(seedOf('random')).toBeLessThan(2 ** 31);
  for (const wrong of ['', '-1', '1.5', 'x', String(2 ** 31)])
    expect(() => seedOf(wrong)).toThrow(`GRANTBOOK_SEED: got "${wrong}"; allowed: random, or`);
});

test('properties without a seed of their own draw with that of the run', () => {
  expect(fc.sample(fc.nat(), 5)).toEqual(fc.sample(fc.nat(), { seed, numRuns: 5 }));
});
