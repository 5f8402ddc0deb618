import { setTimeout as delay } from 'node:timers/promises';
import { removeOverdue, type RemoveDependencies } from '../audit/retention/remove-streams.ts';
import type { Position } from '../eventstore/event-store.ts';
import { moveCheckpoint } from '../projections/follow/checkpoint.ts';
import {
  startLeaderElectedWorker,
  type LeaderElectedWorker,
  type LedDependencies,
  type Progress,
} from '../projections/leadership/leader-elected-worker.ts';
import type { Term } from '../projections/leadership/leader.ts';
import { makeTileTable } from '../projections/log-guard/log-tiles-table.ts';

export type RetentionWorkerDependencies = LedDependencies &
  Omit<RemoveDependencies, 'tiles' | 'logger'> & {
    /** Between two checks. */
    readonly everyMs?: number;
  };

/** Streams become overdue after days, so an hour more does not matter. */
const lookEvery = 3_600_000;

/** Removes streams without effect, on one instance; its checkpoint says how far the log needs no work. */
export const startRetention = (dependencies: RetentionWorkerDependencies): LeaderElectedWorker =>
  startLeaderElectedWorker({
    ...dependencies,
    name: 'retention',
    work: (term, progressed) => removeInTime(dependencies, term, progressed),
  });

const removeInTime = async (
  dependencies: RetentionWorkerDependencies,
  { tx, lease, position: start, signal }: Term,
  progressed: Progress,
): Promise<void> => {
  const tiles = makeTileTable(async ({ text }, values) => (await tx.query(text, [...values])).rows);
  let position: Position | null = start;
  const passed = async (to: Position): Promise<void> => {
    await moveCheckpoint(tx, lease, position, to);
    position = to;
    progressed(position, false);
  };
  while (!signal.aborted) {
    await removeOverdue({ ...dependencies, tiles }, position, signal, passed);
    progressed(position, !signal.aborted);
    await delay(dependencies.everyMs ?? lookEvery, undefined, { signal }).catch(() => undefined);
  }
};
