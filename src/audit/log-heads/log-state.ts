import type { EventStore, LogReader } from '../../eventstore/event-store.ts';
import type { CheckRow, CheckTable } from '../../projections/log-guard/log-checks-table.ts';
import { newestHead, type LoggedHead, headsFrom } from './read-heads.ts';

export type LogState = {
  /** The last head signed at or before that time; null for none. */
  readonly head: LoggedHead | null;
  readonly newest: LoggedHead | null;
  /** Up to where the log was compared when it last agreed with all of its heads; null: never. */
  readonly verified: CheckRow | null;
};

type Dependencies = {
  readonly log: Pick<LogReader, 'readStored'> & Pick<EventStore, 'readBack'>;
  readonly checks: Pick<CheckTable, 'read'>;
};

/** The state of the log as a whole. @param at milliseconds since the Unix epoch */
export const readLogState = async ({ log, checks }: Dependencies, at: number): Promise<LogState> => ({
  head: await headBefore(log, at),
  newest: await newestHead(log),
  verified: await checks.read('verified'),
});

/** The last head signed at or before a time (milliseconds since the Unix epoch), by binary search; null for none. @throws EventStoreUnavailable */
export const headBefore = async (
  log: Pick<LogReader, 'readStored'> & Pick<EventStore, 'readBack'>,
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
      low = head.revision + 1n;
    }
  }
  return found;
};
