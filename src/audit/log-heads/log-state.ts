import type { EventStore, LogReader } from '../../eventstore/event-store.ts';
import type { CheckRow, CheckTable } from '../../projections/log-checks-table.ts';
import { headBefore } from './head-before.ts';
import { newestHead, type LoggedHead } from './read-heads.ts';

export type LogState = {
  /** The last head that was signed at that time or before it; null for none. */
  readonly head: LoggedHead | null;
  readonly newest: LoggedHead | null;
  /** Up to where the log was compared with its heads when it agreed with all of them last; null: never. */
  readonly verified: CheckRow | null;
};

type Dependencies = {
  readonly log: Pick<LogReader, 'readStored'> & Pick<EventStore, 'readEnd'>;
  readonly checks: Pick<CheckTable, 'read'>;
};

/** What is known of the log as a whole. @param at milliseconds since the Unix epoch */
export const readLogState = async ({ log, checks }: Dependencies, at: number): Promise<LogState> => ({
  head: await headBefore(log, at),
  newest: await newestHead(log),
  verified: await checks.read('verified'),
});
