import { makeSealedBefore, refuseClear, type SealedBefore } from './clear-after-sealed.ts';
import { RefusedEvent, UndecodableEvent, UnknownEventType } from './codec-errors.ts';
import { codec, type StoredEvent } from './codec.ts';
import type { LogReader, LogSubscriptions, ReadEvent, RecordedEvent } from './event-store.ts';
import type { StreamName } from '../domain/streams.ts';
import type { Logger } from './logger.ts';
import { openAll, type PersonalData } from './personal-data.ts';

type Unreadable = NonNullable<Parameters<LogSubscriptions['subscribe']>[0]['unreadable']>;

/** The way of events from the log to whoever decides or shows by them. */
export type TakeEvents = {
  /**
   * Opens what is sealed, and marks what is in clear where it must not be, of any streams, each stream's in its order.
   * @throws PersonalDataUnavailable, EventStoreUnavailable
   */
  prepare<E extends StoredEvent>(events: readonly E[]): Promise<readonly E[]>;
  /** Null for one that does not fit its stream: an alarm tells it, once. @throws UndecodableEvent, UnknownEventType */
  decode(stored: StoredEvent): RecordedEvent | null;
  /** The same, where what cannot be decoded may be delivered; always thrown for one that has no position. */
  read(stored: StoredEvent, unreadable: Unreadable): ReadEvent | null;
};

type Needs = {
  /** Without it, nothing sealed can be decoded, and nothing in clear is refused. */
  readonly personal: PersonalData | undefined;
  readonly readStored: LogReader['readStored'];
  readonly logger: Logger;
};

export const makeTakeEvents = ({ personal, readStored, logger }: Needs): TakeEvents => {
  const sealedBefore: SealedBefore = makeSealedBefore(readStored);
  const tell = makeTellRefused(logger);
  const decode = (stored: StoredEvent): RecordedEvent | null => {
    try {
      return codec.decode(stored);
    } catch (error) {
      if (!(error instanceof RefusedEvent)) throw error;
      tell(stored.id, error);
      return null;
    }
  };
  return {
    decode,
    prepare: async (events) =>
      personal ? openAll(personal, await refuseClear(events, sealedBefore)) : events,
    read(stored, unreadable) {
      try {
        const event = decode(stored);
        return event && { kind: 'event', event };
      } catch (error) {
        return unreadableOf(stored, unreadable, error);
      }
    },
  };
};

const unreadableOf = (stored: StoredEvent, unreadable: Unreadable, error: unknown): ReadEvent => {
  const isFinal = error instanceof UndecodableEvent || error instanceof UnknownEventType;
  const { id, streamId, revision, position, type } = stored;
  if (unreadable === 'fail' || !isFinal || !position) throw error;
  const event = { id, stream: streamId as StreamName, revision, position, type };
  return { kind: 'unreadable', event, problem: error.message };
};

const mostTold = 10_000;

/** Somebody else writes to the log, which is worth an alarm; not one with every read. */
const makeTellRefused = (logger: Logger) => {
  const told = new Set<string>();
  return (id: string, { message, place }: RefusedEvent): void => {
    if (told.has(id)) return;
    if (told.size >= mostTold) told.clear();
    told.add(id);
    logger.warn({ ...place, revision: String(place.revision), id, alarm: true }, `event store: ${message}`);
  };
};
