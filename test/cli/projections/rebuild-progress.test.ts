import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { showProgress, type Progress } from '../../../src/cli/base/progress.ts';
import { presentProgress } from '../../../src/cli/projections/present.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const written: string[] = [];
const stderr = new Writable({
  write: (chunk: Buffer, _encoding, done) => {
    written.push(chunk.toString());
    done();
  },
});
const lines = () => written.splice(0);
const progress = { name: 'lists', version: 2, events: 620_000, eventsPerSecond: 5432 };

test('OP-08: a rebuild says every five seconds how far it is, how fast, and for how long, also while it writes nothing', () => {
  let now: Progress = { share: null, text: 'nothing is written yet' };
  const shown = showProgress(stderr, () => now);
  vi.advanceTimersByTime(5_000);
  expect(lines()).toEqual(['nothing is written yet\n']);
  for (let second = 1; second <= 10; second += 1) {
    now = presentProgress({ ...progress, share: second / 20, secondsLeft: 70 - second });
    shown.news();
    vi.advanceTimersByTime(1_000);
  }
  expect(lines()).toEqual([
    '25%, 620,000 events, 5,432/s, 1 min 5 s to go\n',
    '50%, 620,000 events, 5,432/s, 1 min 0 s to go\n',
  ]);
  now = presentProgress({ ...progress, share: 1, secondsLeft: 0 });
  vi.advanceTimersByTime(20_000);
  expect(lines()).toEqual(Array.from({ length: 4 }, () => '100%, 620,000 events, 5,432/s, making indexes\n'));
  shown.end();
  vi.advanceTimersByTime(60_000);
  expect(lines()).toEqual([]);
});
