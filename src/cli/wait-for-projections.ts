import { comparePositions, type Position } from '../eventstore/event-store.ts';
import type { ReadModels } from '../projections/read-models.ts';

type Waiting = Pick<ReadModels, 'waitFor' | 'checkpoint'>;

export type WaitForProjectionsOptions = {
  /** How often it is looked whether there is headway. */
  readonly stepMs?: number;
  /** After so many steps without headway nothing more is expected. */
  readonly patience?: number;
  /** The longest time, even with headway. */
  readonly atMostMs?: number;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
  /** Told after each step with headway which part of what is waited for is there, from 0 to 1. */
  readonly onHeadway?: (share: number) => void;
};

/**
 * Waits until the read models show what was written, as long as they make headway: when no projector runs, or the one
 * that runs is stuck, there is nothing to wait for.
 * Never throws.
 * @returns whether the read models hold everything up to `position`; false is no failure, everything is stored
 */
export const waitForProjections = (
  readModels: Waiting,
  position: Position,
  options: WaitForProjectionsOptions = {},
): Promise<boolean> => wait(readModels, position, options).catch(() => false); // the database went away: what is stored is stored

const wait = async (
  readModels: Waiting,
  position: Position,
  { stepMs = 1500, patience = 1, atMostMs = 60_000, signal, onHeadway }: WaitForProjectionsOptions,
): Promise<boolean> => {
  const giveUpAt = performance.now() + atMostMs;
  const first = await readModels.checkpoint();
  let before = first;
  let stoodStill = 0;
  while (!(await readModels.waitFor(position, stepMs, signal))) {
    if (signal?.aborted === true || performance.now() > giveUpAt) return false;
    const after = await readModels.checkpoint();
    if (isHeadway(before, after)) {
      stoodStill = 0;
      onHeadway?.(shareOf(first, after, position));
    } else if (++stoodStill >= patience) return false;
    before = after;
  }
  return true;
};

const shareOf = (first: Position | null, now: Position | null, wanted: Position): number => {
  const from = first?.commit ?? 0n;
  const share = Number((now?.commit ?? 0n) - from) / Number(wanted.commit - from);
  return Math.min(1, Math.max(0, share));
};

const isHeadway = (before: Position | null, after: Position | null) =>
  after !== null && (before === null || comparePositions(after, before) > 0);
