import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { showRebuild } from '../../../src/cli/projections/show-progress.ts';

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
  const shown = showRebuild(stderr);
  vi.advanceTimersByTime(5_000);
  expect(lines()).toEqual(['nothing is written yet\n']);
  for (let second = 1; second <= 10; second += 1) {
    shown.update({ ...progress, share: second / 20, secondsLeft: 70 - second });
    vi.advanceTimersByTime(1_000);
  }
  expect(lines()).toEqual([
    expect.stringMatching(/^ 25% .*620,000 events, 5,432\/s, 1 min 5 s to go\n$/),
    expect.stringMatching(/^ 50% .*620,000 events, 5,432\/s, 1 min 0 s to go\n$/),
  ]);
  shown.update({ ...progress, share: 1, secondsLeft: 0 });
  vi.advanceTimersByTime(20_000);
  expect(lines()).toEqual(
    Array.from({ length: 4 }, () =>
      expect.stringMatching(/^100% .*620,000 events, 5,432\/s, making indexes\n$/),
    ),
  );
  shown.end();
  vi.advanceTimersByTime(60_000);
  expect(lines()).toEqual([]);
});
