import type { Instant } from '../../domain/kernel/decision.ts';
import { fenceEndOf } from '../../domain/fence/fence-retention.ts';
import type { FenceRow } from '../../domain/fence/fence.ts';
import type { GrantEvent } from '../../domain/access/grant.ts';
import type { LogReader } from '../../eventstore/event-store.ts';

/** `gone`: the stream that would say it is no longer in the log. */
export type RowEnd = Instant | 'never' | 'gone';

/** When the last credential expires that a row of the fence could refuse: from the log, whenever the row was written. */
export const readFenceEnd = async (
  log: Pick<LogReader, 'readEach'>,
  row: Omit<FenceRow, 'epoch'>,
): Promise<RowEnd> => {
  const end = fenceEndOf(row);
  if (end === null) return 'never';
  const read = await log.readEach(end.stream, end.from, end.count);
  if (read.length === 0) return 'gone';
  const events = read.flatMap((each) => (each.kind === 'event' ? [each.event.event as GrantEvent] : []));
  // An event that cannot be read may be the one that matters.
  return events.length < read.length ? 'never' : (end.endIn(events) ?? 'never');
};
