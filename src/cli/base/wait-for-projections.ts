import { comparePositions, type Position } from '../../eventstore/event-store.ts';
import type { ReadModels } from '../../projections/read-models.ts';

type Waiting = Pick<ReadModels, 'waitFor' | 'checkpoint'>;

export type WaitForProjectionsOptions = {
  readonly stepMs?: number;
  /** After this many intervals without progress the wait ends. */
  readonly patience?: number;
  readonly atMostMs?: number;
  readonly signal?: AbortSignal;
  /** Called after each interval with progress, with the share that is done, from 0 to 1. */
  readonly onHeadway?: (share: number) => void;
};

/** Waits until the read models have caught up with `position`, as long as they make progress. Never throws; false is no failure. */
export const waitForProjections = (
  readModels: Waiting,
  position: Position,
  options: WaitForProjectionsOptions = {},
): Promise<boolean> => wait(readModels, position, options).catch(() => false); // the database is unavailable; everything is stored

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
