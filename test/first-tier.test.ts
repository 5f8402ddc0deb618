import childProcess, { spawn } from 'node:child_process';
import { setTimeout as start } from 'node:timers';
import { scheduler, setInterval as ticks, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { wrongWaits } from './support/first-tier-rules.ts';

const tooLong = 201;
const moved = 'move the test to NAME.system.test.ts, next to its file';
const here = 'test/first-tier.test.ts';
const waiting = new RegExp(`^${here}:\\d+ waits for ${tooLong} ms: ${moved}$`);

describe('a test of the first tier may start', () => {
  test.each(['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const)(
    'no process by %s',
    (name) => {
      expect(() => childProcess[name]('sleep')).toThrow(`the test starts a process (sleep): ${moved}`);
    },
  );

  test('no process by a function that it imports, and none that is promised', async () => {
    expect(() => spawn('sleep')).toThrow(moved);
    await expect(promisify(childProcess.execFile)('sleep')).rejects.toThrow(moved);
  });

  test('no thread', () => {
    expect(() => new Worker('./sleep.js')).toThrow(`the test starts a thread (./sleep.js): ${moved}`);
  });
});

describe('a test of the first tier may wait', () => {
  test.each<[string, () => unknown]>([
    ['a promised timer', () => sleep(tooLong)],
    ['a promised interval', () => ticks(tooLong)],
    ['the scheduler', () => scheduler.wait(tooLong)],
    ['a timer that it makes a promise of', () => promisify(setTimeout)(tooLong)],
  ])('no longer than 200 ms for %s', (_what, wait) => {
    expect(wait).toThrow(waiting);
  });

  test('no longer for a timer of its own, nor for one that it imports, nor for an interval', async () => {
    await Promise.all([
      new Promise((resolve) => setTimeout(resolve, tooLong)),
      new Promise((resolve) => start(resolve, tooLong)),
      new Promise((resolve) => {
        const interval = setInterval(() => resolve(clearInterval(interval)), tooLong);
      }),
    ]);
    const wrong = expect.stringMatching(
      new RegExp(`^${here}:\\d+ waits for 201 ms: await a condition, or ${moved}$`),
    ) as string;
    expect(wrongWaits(false)).toEqual([wrong, wrong, wrong]);
    expect(wrongWaits(false)).toEqual([]);
  });

  // oxlint-disable-next-line vitest/expect-expect -- what is set up for every test fails it
  test.fails('no longer, or it fails', () => new Promise((resolve) => setTimeout(resolve, tooLong)));

  test('with a deadline that it clears, and at the end of the file none is left', () => {
    clearTimeout(setTimeout(() => undefined, tooLong));
    expect(wrongWaits(true)).toEqual([]);
    const left = setTimeout(() => undefined, tooLong);
    onTestFinished(() => clearTimeout(left));
    expect(wrongWaits(false)).toEqual([]);
    expect(wrongWaits(true)).toEqual([expect.stringMatching(/ waits for 201 ms, which is not cleared$/)]);
  });

  test('as long as it likes on a clock of its own, and what it restores is refused again', async () => {
    vi.useFakeTimers();
    const done = new Promise((resolve) => setTimeout(resolve, 3_600_000));
    await vi.advanceTimersByTimeAsync(3_600_000);
    await done;
    vi.useRealTimers();
    expect(wrongWaits(false)).toEqual([]);
    expect(() => promisify(setTimeout)(tooLong)).toThrow(waiting);
  });

  test('up to 200 ms', async () => {
    await Promise.all([sleep(1), new Promise((resolve) => setTimeout(resolve, 1))]);
    expect(wrongWaits(false)).toEqual([]);
  });
});
