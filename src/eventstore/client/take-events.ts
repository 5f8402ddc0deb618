import { LRUCache } from 'lru-cache';
import { growing } from '../../common/growing.ts';
import { RefusedEvent, UndecodableEvent, UnknownEventType } from '../codec/codec-errors.ts';
import { codec, type StoredEvent } from '../codec/codec.ts';
import {
  type EventReference,
  type LogSubscriptions,
  type ReadEvent,
  type RecordedEvent,
  StreamUnreadable,
} from '../event-store.ts';
import type { StreamName } from '../../domain/streams.ts';
import { isOfCategory } from '../../domain/kernel/stream-name.ts';
import type { Logger } from '../logger.ts';
import type { IsSkipped } from '../skipped-events.ts';
import { decryptAll, refuseClear, type PersonalData } from '../codec/personal-data.ts';

type Unreadable = NonNullable<Parameters<LogSubscriptions['subscribe']>[0]['unreadable']>;

/** Prepares stored events for decisions and read models. */
export type TakeEvents = {
  /**
   * Decrypts events, and marks those in clear text that must be encrypted.
   * @throws PersonalDataUnavailable
   */
  prepare<E extends StoredEvent>(events: readonly E[]): Promise<readonly E[]>;
  /**
   * The events for a decision: without events that do not belong into their stream (logged as an alarm), without those
   * of a newer version that may be skipped, and without those that an operator skipped.
   * @throws StreamUnreadable, PersonalDataUnavailable, EventStoreUnavailable
   */
  all(events: readonly StoredEvent[]): Promise<readonly RecordedEvent[]>;
  /**
   * Decodes a prepared event; null if it does not belong into its stream. With mode `deliver`, an undecodable event is
   * returned as unreadable; without a position it is always thrown. @throws UndecodableEvent, UnknownEventType
   */
  read(stored: StoredEvent, mode: Unreadable): ReadEvent | null;
};

type Dependencies = {
  /** Without it, encrypted events cannot be decoded, and events in clear text are not refused. */
  readonly personal: PersonalData | undefined;
  readonly isSkipped: IsSkipped;
  readonly logger: Logger;
  /** Called each time for each event that prevents decisions on its stream. */
  readonly unreadable?: ((event: EventReference, problem: string) => void) | undefined;
};

export const makeTakeEvents = ({ personal, isSkipped, logger, unreadable }: Dependencies): TakeEvents => {
  const tell = makeTellRefused(logger);
  const tellSkipped = makeTellSkipped(logger);
  const decode = (stored: StoredEvent): RecordedEvent | null => {
    try {
      return codec.decode(stored);
    } catch (error) {
      if (!(error instanceof RefusedEvent)) throw error;
      tell(stored.id, error);
      return null;
    }
  };
  const prepare: TakeEvents['prepare'] = async (events) =>
    personal ? decryptAll(personal, refuseClear(events)) : events;
  const read: TakeEvents['read'] = (stored, mode) => {
    try {
      const event = decode(stored);
      return event && { kind: 'event', event };
    } catch (error) {
      return unreadableOf(stored, mode, error);
    }
  };
  return {
    prepare,
    read,
    async all(events) {
      const taken: RecordedEvent[] = [];
      for (const stored of await prepare(events)) {
        const message = read(stored, 'deliver');
        if (message?.kind === 'event') taken.push(message.event);
        if (message?.kind !== 'unreadable') continue;
        if (message.maySkip) {
          tellSkipped(message.event);
          continue;
        }
        if (saysNothingOfAccess(message.event)) {
          const { stream, revision, type } = message.event;
          tell(stored.id, new RefusedEvent({ stream, revision, type }, 'it cannot be decoded'));
          continue;
        }
        if (await isSkipped(message.event.id)) continue;
        unreadable?.(message.event, message.problem);
        throw new StreamUnreadable(message.event, message.problem);
      }
      return taken;
    },
  };
};

/** The same, which decodes an event that several readers of one call get only once. */
export const decodeOnce = (take: TakeEvents): TakeEvents => {
  const decoded = new WeakMap<StoredEvent, ReadEvent>();
  return {
    ...take,
    read(stored, mode) {
      const known = decoded.get(stored);
      if (known) return known;
      const read = take.read(stored, mode);
      if (read?.kind === 'event') decoded.set(stored, read);
      return read;
    },
  };
};

/** Streams about the maintenance of read models: an unreadable event there must not prevent an operator from skipping other events. */
const saysNothingOfAccess = ({ stream }: EventReference): boolean => isOfCategory(stream, 'projection');

const unreadableOf = (stored: StoredEvent, mode: Unreadable, error: unknown): ReadEvent => {
  const isFinal = error instanceof UndecodableEvent || error instanceof UnknownEventType;
  const { id, streamId, revision, position, type, created } = stored;
  if (!isFinal || !position || (mode === 'fail' && !error.maySkip)) throw error;
  const event = { id, stream: streamId as StreamName, revision, position, type, created: created.getTime() };
  return { kind: 'unreadable', event, problem: error.message, maySkip: error.maySkip };
};

/** Once per type: an upgrade is under way, or was undone. */
const makeTellSkipped = (logger: Logger) => {
  const told = new Set<string>();
  return ({ type, stream }: EventReference): void => {
    if (told.has(type)) return;
    told.add(type);
    logger.info({ type, stream }, 'event store: skips events of this type, which only a newer version knows');
  };
};

const mostReported = 10_000;

/** An unknown writer in the log is worth an alarm, but only one per event, not one per read. */
const makeTellRefused = (logger: Logger) => {
  const reported = new LRUCache<string, true>(growing(mostReported));
  return (id: string, { message, place }: RefusedEvent): void => {
    if (reported.has(id)) return;
    reported.set(id, true);
    logger.warn({ ...place, revision: String(place.revision), id, alarm: true }, `event store: ${message}`);
  };
};
