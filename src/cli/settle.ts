import { comparePositions, type Position } from '../eventstore/event-store.ts';
import type { ReadModels } from '../projections/read-models.ts';

type Waiting = Pick<ReadModels, 'waitFor' | 'checkpoint'>;

/**
 * Waits until the read models show what was written, as long as they make headway: when no projector runs, or the one
 * that runs is stuck, there is nothing to wait for.
 * @param patienceMs for how long no headway is put up with
 * Never throws.
 * @returns whether the read models hold everything up to `position`; false is no failure, everything is stored
 */
export const settle = (readModels: Waiting, position: Position, limits: Limits = {}): Promise<boolean> =>
  wait(readModels, position, limits).catch(() => false); // the database went away: what is stored is stored

type Limits = { readonly patienceMs?: number; readonly atMostMs?: number };

const wait = async (
  readModels: Waiting,
  position: Position,
  { patienceMs = 1500, atMostMs = 60_000 }: Limits,
): Promise<boolean> => {
  const giveUpAt = performance.now() + atMostMs;
  let before = await readModels.checkpoint();
  while (!(await readModels.waitFor(position, patienceMs))) {
    const after = await readModels.checkpoint();
    if (!isHeadway(before, after) || performance.now() > giveUpAt) return false;
    before = after;
  }
  return true;
};

const isHeadway = (before: Position | null, after: Position | null) =>
  after !== null && (before === null || comparePositions(after, before) > 0);
