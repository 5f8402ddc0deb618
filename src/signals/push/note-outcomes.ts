import { inTransaction } from '../../common/transaction.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { Tx } from '../../projections/follow/projection.ts';
import { endSets } from '../set-queue.ts';
import { makeDueAfterOutage, noteNotPushed, type DueSet } from './push-table.ts';

/** What came of a push. The error is null when the receiver has taken the SET. */
export type Outcome = { readonly set: DueSet; readonly error: string | null };

/** A SET that has failed for so long that its stream is to be paused. */
export type TooLong = { readonly outcome: Outcome; readonly since: Instant };

/** A receiver that takes something after so long is back. */
const outageMs = 20_000;

/** Ends what was taken and dates the rest, in one transaction, locking streams in everybody's order. `random`: 0 to 1. */
export const noteOutcomes = async (
  tx: Tx,
  outcomes: readonly Outcome[],
  { now, random = Math.random }: { readonly now: () => Instant; readonly random?: () => number },
): Promise<readonly TooLong[]> => {
  const time = now();
  const tooLong: TooLong[] = [];
  await inTransaction(tx, async () => {
    for (const [streamId, ofStream] of byStream(outcomes)) {
      const taken = ofStream.filter(({ error }) => error === null);
      const endings = taken.map(({ set: { jti } }) => ({ jti, error: null }));
      if (taken.length > 0) await makeDueAfterOutage(tx, streamId, time - outageMs);
      await endSets(tx, streamId, endings, time);
      for (const outcome of ofStream) {
        const { set, error } = outcome;
        if (error === null) continue;
        const dueAt = time + retryDelay(set.failures + 1, random());
        const since = await noteNotPushed(tx, set, { error, dueAt, now: time });
        if (since !== null && time - since >= pausedAfterMs) tooLong.push({ outcome, since });
      }
    }
  });
  return tooLong;
};

const byStream = (outcomes: readonly Outcome[]): readonly (readonly [string, readonly Outcome[]])[] => {
  const streams = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const { streamId } = outcome.set;
    streams.set(streamId, [...(streams.get(streamId) ?? []), outcome]);
  }
  return [...streams].toSorted(([a], [b]) => (a < b ? -1 : 1));
};

const firstMs = 1_000;
const longestMs = 600_000;
const jitter = 0.2;

/** How long pushes of one SET fail before its stream is paused, in milliseconds: 72 hours. */
export const pausedAfterMs = 72 * 3_600_000;

/** Milliseconds after `failures` (1 or more): 1, 2, 4, 8 s up to ten minutes, up to a fifth more or less, by `random` (0 to 1) (SG-08). */
export const retryDelay = (failures: number, random: number): number => {
  const doubled = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.min(longestMs, doubled * (1 - jitter + 2 * jitter * random));
};
