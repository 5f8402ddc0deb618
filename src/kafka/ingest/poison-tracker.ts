import type { ReceivedBatch } from '../kafka-client.ts';

/**
 * After this many failed runs while the log answers, the message is the cause, not an outage. With the pauses in
 * between that takes about ten seconds: longer than a log needs to elect a new leader.
 */
export const mostTries = 8;

/** If more messages than this fail and no other succeeds, the cause is probably not the messages. */
const mostFailures = 10;

type Place = Pick<ReceivedBatch, 'topic' | 'partition'>;

/**
 * Distinguishes a message that cannot be recorded because of a bug of ours from an outage: the former must not block
 * its partition forever, the latter must not move the whole topic to the dead letters. The counts are in memory only
 * and start anew with the process.
 */
export const makePoisonTracker = () => {
  const tries = new Map<string, ReadonlyMap<bigint, number>>();
  const placeOf = ({ topic, partition }: Place) => `${topic}/${partition}`;
  return {
    /**
     * @returns whether these offsets can never be recorded; `done` is the number of messages recorded in the same run
     */
    areHopeless(place: Place, offsets: readonly bigint[], done: number): boolean {
      const before = tries.get(placeOf(place));
      const now = new Map(offsets.map((offset) => [offset, (before?.get(offset) ?? 0) + 1]));
      tries.set(placeOf(place), now);
      if (done === 0 && offsets.length > mostFailures) return false;
      return [...now.values()].every((count) => count >= mostTries);
    },
    /** Call when the batch is finished. */
    passed: (place: Place) => void tries.delete(placeOf(place)),
  };
};
