import { expect, test } from 'vitest';
import { makeAdaptiveBatchDelay } from '../../../src/projections/follow/adaptive-batch-delay.ts';

/** How long is gathered after each of these transactions. */
const after = (...events: readonly number[]) => events.map(makeAdaptiveBatchDelay(40));

test('events that come alone never wait, nor do those after a crowd that is over', () => {
  expect(after(1, 3, 2, 1)).toEqual([0, 0, 0, 0]);
  expect(after(200, 400, 3, 1)).toEqual([10, 20, 0, 0]);
});

test('while crowds go on coming they are gathered longer, up to the longest time', () => {
  expect(after(4, 8, 16, 16, 500)).toEqual([10, 20, 40, 40, 40]);
});

test('as crowds grow thin they are gathered for less time', () => {
  expect(after(50, 50, 50, 15, 7, 5)).toEqual([10, 20, 40, 20, 10, 20]);
});

test('a longest time of nought is none', () => {
  expect(makeAdaptiveBatchDelay(0)(500)).toBe(0);
});
