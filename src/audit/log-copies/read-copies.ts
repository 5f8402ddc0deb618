import type { EventOf } from '../../domain/events.ts';
import { logCopyStream } from '../../domain/streams.ts';
import type { EventStore, RecordedEvent } from '../../eventstore/event-store.ts';

/** Records that the log was copied from another one: the events before `position` were stored here again. */
export type LogCopy = EventOf<'LogCopied'>['data'] & Pick<RecordedEvent, 'position'>;

const toCopy = ({ event, position }: RecordedEvent): readonly LogCopy[] =>
  event.type === 'LogCopied' ? [{ ...event.data, position }] : [];

/** The newest copy that made this log; null for one that was not copied. @throws EventStoreUnavailable, StreamUnreadable */
export const newestCopy = async (log: Pick<EventStore, 'readEnd'>): Promise<LogCopy | null> => {
  const [newest] = await log.readEnd(logCopyStream, 'last', 1);
  return (newest && toCopy(newest)[0]) ?? null;
};

/** Ordered from the oldest: a log may be copied several times. @throws EventStoreUnavailable, StreamUnreadable */
export const copiesOf = async (log: Pick<EventStore, 'read'>): Promise<readonly LogCopy[]> =>
  (await log.read(logCopyStream)).events.flatMap(toCopy);
