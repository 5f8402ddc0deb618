import { expect, test } from 'vitest';
import { pausedAfterMs, retryDelay } from '../../src/signals/push/note-outcomes.ts';
import { makePushSchedule } from '../../src/signals/push/push-schedule.ts';

const limits = { atOnce: 4, failingAtOnce: 2, ofOneStream: 2 };

test('SG-08: the first repeat comes after 1 s, then the time doubles up to ten minutes, a fifth more or less', () => {
  const failures = Array.from({ length: 12 }, (_, i) => i + 1);
  const seconds = (random: number) => failures.map((n) => Math.round(retryDelay(n, random)) / 1000);
  expect(seconds(0.5)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
  expect(seconds(0).slice(0, 4)).toEqual([0.8, 1.6, 3.2, 6.4]);
  expect(seconds(1).slice(0, 4)).toEqual([1.2, 2.4, 4.8, 9.6]);
  expect(seconds(0).slice(-2)).toEqual([480, 480]);
  expect(Math.max(...seconds(1))).toBe(600);
  expect(retryDelay(100_000, 0.5)).toBe(600_000);
});

test('SG-08: the first four repeats come within 20 s, and pushes go on for 72 h', () => {
  expect([1, 2, 3, 4].reduce((sum, n) => sum + retryDelay(n, 1), 0)).toBeLessThanOrEqual(20_000);
  expect(pausedAfterMs).toBe(72 * 60 * 60 * 1000);
});

test('streams are looked at in the order in which they were marked, each with its share', () => {
  const schedule = makePushSchedule({ ...limits, atOnce: 5 });
  for (const id of ['A', 'B', 'A', 'C']) schedule.mark(id);
  expect(schedule.take(10)).toEqual([
    { streamId: 'A', most: 2 },
    { streamId: 'B', most: 2 },
    { streamId: 'C', most: 1 },
  ]);
  expect(schedule.take(10)).toEqual([]);
});

test('a SET that is on its way does not begin again, and its end marks the stream', () => {
  const schedule = makePushSchedule(limits);
  schedule.mark('A');
  schedule.take(1);
  expect([schedule.begin('A', '1'), schedule.begin('A', '1'), schedule.begin('B', '1')]).toEqual([
    true,
    false,
    true,
  ]);
  expect(schedule.underWay()).toBe(2);
  expect(schedule.take(1)).toEqual([]);
  schedule.end('A', '1', false);
  schedule.end('A', '1', false);
  expect(schedule.underWay()).toBe(1);
  expect(schedule.take(1)).toEqual([{ streamId: 'A', most: 2 }]);
});

test('SG-08: a stream with its share on its way waits, and is not forgotten', () => {
  const schedule = makePushSchedule(limits);
  schedule.begin('A', '1');
  schedule.begin('A', '2');
  schedule.mark('A');
  expect(schedule.take(1)).toEqual([]);
  schedule.end('A', '1', false);
  expect(schedule.take(1)).toEqual([{ streamId: 'A', most: 2 }]); // one of the two is on its way
});

test('SG-08: a stream has no more than its share on its way, whichever of its SETs are found', () => {
  const schedule = makePushSchedule({ atOnce: 8, failingAtOnce: 4, ofOneStream: 2 });
  schedule.begin('A', 'repeated');
  schedule.mark('A');
  expect(schedule.take(1)).toEqual([{ streamId: 'A', most: 2 }]);
  // SETs that never failed are found first.
  expect(['new', 'newer'].map((jti) => schedule.begin('A', jti))).toEqual([true, false]);
});

test('SG-08: receivers that fail leave room for the others', () => {
  const schedule = makePushSchedule(limits);
  for (const id of ['A', 'B', 'C']) {
    schedule.begin(id, '1');
    schedule.end(id, '1', true);
  }
  const taken = schedule.take(10);
  expect(taken).toEqual([
    { streamId: 'A', most: 1 },
    { streamId: 'B', most: 1 },
  ]);
  for (const { streamId } of taken) schedule.begin(streamId, '1');
  schedule.mark('D');
  expect(schedule.take(10)).toEqual([{ streamId: 'D', most: 2 }]);
  schedule.end('A', '1', false); // it works again
  expect(schedule.take(10)).toEqual([
    { streamId: 'C', most: 1 },
    { streamId: 'A', most: 2 },
  ]);
});

test('SG-08: those that failed before a restart leave room for the others, too', () => {
  const schedule = makePushSchedule(limits, ['A', 'B', 'C']);
  for (const id of ['A', 'B', 'C', 'D']) schedule.mark(id);
  expect(schedule.take(10)).toEqual([
    { streamId: 'A', most: 1 },
    { streamId: 'B', most: 1 },
    { streamId: 'D', most: 2 },
  ]);
});

test('SG-08: a crowd of slow receivers with several SETs each does not take all places', () => {
  const schedule = makePushSchedule({ atOnce: 12, failingAtOnce: 6, ofOneStream: 4 });
  for (const id of ['A', 'B', 'C', 'D', 'E']) schedule.mark(id);
  expect(schedule.take(10).map(({ most }) => most)).toEqual([4, 4, 1, 1, 1]);
});
