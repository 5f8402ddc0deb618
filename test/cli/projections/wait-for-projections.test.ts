import { describe, expect, test } from 'vitest';
import { waitForProjections } from '../../../src/cli/base/wait-for-projections.ts';
import { comparePositions, type Position } from '../../../src/eventstore/event-store.ts';

const at = (commit: bigint): Position => ({ commit, prepare: commit });

/** Read models that are one step further each time somebody waited in vain. */
const movingTo = (steps: readonly (Position | null)[]) => {
  let step = 0;
  const now = () => steps[Math.min(step, steps.length - 1)] ?? null;
  return {
    checkpoint: () => Promise.resolve(now()),
    waitFor: (position: Position) => {
      step += 1;
      const reached = now();
      return Promise.resolve(reached !== null && comparePositions(reached, position) >= 0);
    },
  };
};

describe('waiting for the read models', () => {
  test('goes on as long as they make headway', async () => {
    expect(await waitForProjections(movingTo([null, at(1n), at(2n), at(3n)]), at(3n))).toBe(true);
  });

  test('ends when they stand still: no projector runs, or it is stuck', async () => {
    expect(await waitForProjections(movingTo([at(1n), at(1n), at(9n)]), at(3n))).toBe(false);
    expect(await waitForProjections(movingTo([null, null, at(9n)]), at(3n))).toBe(false);
  });

  test('accepts as many looks without progress as configured, and not one more', async () => {
    const pausing = [at(1n), at(1n), at(1n), at(2n), at(2n), at(2n), at(3n)];
    expect(await waitForProjections(movingTo(pausing), at(3n), { patience: 3 })).toBe(true);
    expect(await waitForProjections(movingTo(pausing), at(3n), { patience: 2 })).toBe(false);
  });

  test('LI-08: has no end of its own where none is set, and tells how far it is', async () => {
    const steps = Array.from({ length: 1001 }, (_, i) => at(100n + BigInt(i)));
    const shares: number[] = [];
    const options = { atMostMs: Infinity, onHeadway: (share: number) => void shares.push(share) };
    expect(await waitForProjections(movingTo(steps), at(1100n), options)).toBe(true);
    expect(shares).toEqual(Array.from({ length: 999 }, (_, i) => (i + 1) / 1000));
  });

  test('ends when it is interrupted, at once', async () => {
    const interruption = new AbortController();
    const waiting = {
      checkpoint: () => Promise.resolve(at(1n)),
      waitFor: (_position: Position, _ms: number, signal?: AbortSignal) =>
        new Promise<boolean>((resolve) => signal?.addEventListener('abort', () => resolve(false))),
    };
    const settled = waitForProjections(waiting, at(3n), {
      atMostMs: Infinity,
      patience: 3,
      signal: interruption.signal,
    });
    setImmediate(() => interruption.abort());
    expect(await settled).toBe(false);
  });

  test('ends when its time is up, even with headway', async () => {
    const always = movingTo(Array.from({ length: 50 }, (_, i) => at(BigInt(i))));
    expect(await waitForProjections(always, at(100n), { atMostMs: -1 })).toBe(false);
  });

  test('is no failure when the database goes away', async () => {
    const gone = {
      checkpoint: () => Promise.reject(new Error('gone')),
      waitFor: () => Promise.resolve(false),
    };
    expect(await waitForProjections(gone, at(1n))).toBe(false);
  });
});
