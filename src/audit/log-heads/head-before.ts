import type { EventStore, LogReader } from '../../eventstore/event-store.ts';
import { headsFrom, newestHead, type LoggedHead } from './read-heads.ts';

/**
 * The last head signed at or before a time, by binary search; null for none.
 * @param at milliseconds since the Unix epoch
 * @throws EventStoreUnavailable
 */
export const headBefore = async (
  log: Pick<LogReader, 'readStored'> & Pick<EventStore, 'readEnd'>,
  at: number,
): Promise<LoggedHead | null> => {
  const newest = await newestHead(log);
  if (newest === null || newest.at <= at) return newest;
  let found: LoggedHead | null = null;
  let [low, high] = [0n, newest.revision];
  while (low < high) {
    const middle = (low + high) / 2n;
    const [head] = await headsFrom(log, middle, 1);
    if (head === undefined || head.at > at) high = middle;
    else {
      found = head;
      low = middle + 1n;
    }
  }
  return found;
};
