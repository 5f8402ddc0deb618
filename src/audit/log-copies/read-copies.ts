import type { EventOf } from '../../domain/events.ts';
import { logCopyStream } from '../../domain/streams.ts';
import type { EventStore, RecordedEvent } from '../../eventstore/event-store.ts';

/** That the log was copied from another one: what lies before `position` has been stored here anew. */
export type LogCopy = EventOf<'LogCopied'>['data'] & Pick<RecordedEvent, 'position'>;

const toCopy = ({ event, position }: RecordedEvent): readonly LogCopy[] =>
  event.type === 'LogCopied' ? [{ ...event.data, position }] : [];

/** How the log came here; null for one that began here. @throws EventStoreUnavailable, StreamUnreadable */
export const newestCopy = async (log: Pick<EventStore, 'readEnd'>): Promise<LogCopy | null> => {
  const [newest] = await log.readEnd(logCopyStream, 'last', 1);
  return (newest && toCopy(newest)[0]) ?? null;
};

/** The oldest first: a log may be copied again and again. @throws EventStoreUnavailable, StreamUnreadable */
export const copiesOf = async (log: Pick<EventStore, 'read'>): Promise<readonly LogCopy[]> =>
  (await log.read(logCopyStream)).events.flatMap(toCopy);
