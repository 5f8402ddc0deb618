import type { ReceivedBatch } from '../kafka-client.ts';

/**
 * So many runs of its batch a message may fail in while the log answers: then it is the message, and not the moment. With the
 * pauses between them that takes some ten seconds: longer than a log needs to find a new leader.
 */
export const mostTries = 8;

/** When more than these fail and no other is recorded, something greater is wrong than with a message. */
const mostFailures = 10;

type Place = Pick<ReceivedBatch, 'topic' | 'partition'>;

/**
 * Tells a message that cannot be recorded because of an error of ours from an outage: the first must not keep its partition
 * for ever, the second must not empty the topic into the dead letters. Forgets with the process, which starts over then.
 */
export const makePoisonTracker = () => {
  const tries = new Map<string, ReadonlyMap<bigint, number>>();
  const placeOf = ({ topic, partition }: Place) => `${topic}/${partition}`;
  return {
    /** @returns whether it is settled that these offsets can never be recorded; `done` counts those that were recorded in their run */
    areHopeless(place: Place, offsets: readonly bigint[], done: number): boolean {
      const before = tries.get(placeOf(place));
      const now = new Map(offsets.map((offset) => [offset, (before?.get(offset) ?? 0) + 1]));
      tries.set(placeOf(place), now);
      if (done === 0 && offsets.length > mostFailures) return false;
      return [...now.values()].every((count) => count >= mostTries);
    },
    /** The partition goes on. */
    passed: (place: Place) => void tries.delete(placeOf(place)),
  };
};
