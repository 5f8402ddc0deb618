import type {
  AllStreamResolvedEvent,
  EventStoreDBClient,
  ReadRevision,
  ReadStreamOptions,
  StreamingRead,
} from '@eventstore/db-client';
import type { StreamName } from '../../domain/streams.ts';
import { makeBackoff, pause } from '../../common/backoff.ts';
import { describeError, isNoBeginning, readReadError, refusedAccess, rightToRead } from './esdb-errors.ts';
import {
  comparePositions,
  type EventStore,
  EventStoreUnavailable,
  LogBehind,
  type LogReader,
  type Position,
  type RecordedEvent,
  type StreamPart,
  type StreamSlice,
} from '../event-store.ts';
import { type Logger, silent } from '../logger.ts';
import { type KeptStreams, type LogEvent, makeKeptStreams } from './kept-streams.ts';
import type { ReadClients } from './read-client.ts';
import { storedEvent } from './read-log.ts';
import type { SeenRevisions } from './seen-revisions.ts';
import type { TakeEvents } from './take-events.ts';
import type { Timeouts } from './timeouts.ts';
import { isStreamName } from '../codec/validate.ts';
import { NoAnswer } from '../../common/with-timeout.ts';

type Dependencies = {
  readonly readers: Pick<ReadClients, 'current'>;
  readonly timeouts: Timeouts;
  readonly logger: Logger;
  readonly seen: SeenRevisions;
  readonly confirmLeader: EventStore['confirmLeader'];
  /** Aborted when the store is closed. */
  readonly closed: AbortSignal;
  /** When a read was last answered. */
  readonly answered: { at: number };
};

const nothing: StreamSlice = { events: [], revision: 'no-stream' };

/**
 * Reads whole streams. A stream that does not exist or was deleted is empty; so is an invalid stream name, without a
 * call. @throws StreamUnreadable
 */
export const makeEsdbRead =
  (kept: KeptStreams, take: TakeEvents): EventStore['read'] =>
  async (stream) => {
    if (!isStreamName(stream)) return nothing;
    const stored = await kept.whole(stream);
    return { events: await take.all(stored), revision: stored.at(-1)?.revision ?? 'no-stream' };
  };

/** @param categories of the streams that are kept */
export const keepStreams = (dependencies: Dependencies, categories: readonly string[]): KeptStreams => {
  const { seen, confirmLeader } = dependencies;
  return makeKeptStreams({
    categories,
    seen,
    confirmLeader,
    load: async (stream) =>
      eventsIn(await collectNewest(dependencies, stream, (esdb) => esdb.readStream(stream))),
    newest: () => readNewest(dependencies),
    from: (position, count) => readFrom(dependencies, position, count),
  });
};

const emptyPart: StreamPart = { ...nothing, further: null };

/** The most events read at once where nothing is taken from those after them. */
const mostBehind = 512;

/** Reads a part of a stream backwards, further and further if nothing is taken from it. @throws StreamUnreadable */
export const makeEsdbReadBack = (
  dependencies: Dependencies,
  kept: KeptStreams,
  take: TakeEvents,
): EventStore['readBack'] => {
  const readBack: EventStore['readBack'] = async (stream, from, count) => {
    if (!isStreamName(stream) || count < 1) return emptyPart;
    const start = (esdb: EventStoreDBClient) =>
      esdb.readStream(stream, { direction: 'backwards', fromRevision: from, maxCount: count });
    const stored =
      (from === 'end' ? await kept.tail(stream, count) : null) ??
      eventsIn(
        from === 'end'
          ? await collectNewest(dependencies, stream, start)
          : await collectPatiently(dependencies, stream, start),
      ).toReversed();
    const [oldest] = stored;
    const events = await take.all(stored);
    const revision = stored.at(-1)?.revision ?? 'no-stream';
    const further = oldest && stored.length === count && oldest.revision > 0n ? oldest.revision - 1n : null;
    if (events.length > 0 || further === null) return { events, revision, further };
    const older = await readBack(stream, further, Math.max(count, Math.min(4 * count, mostBehind)));
    return { ...newestOf(older, count), revision };
  };
  return readBack;
};

const newestOf = (part: StreamPart, count: number): StreamPart => {
  const events = part.events.slice(-count);
  const [oldest] = events;
  return oldest && events.length < part.events.length
    ? { ...part, events, further: oldest.revision - 1n }
    : part;
};

/** Reads a few events from one end of a stream. @throws StreamUnreadable */
export const makeEsdbReadEnd = (
  dependencies: Dependencies,
  readBack: EventStore['readBack'],
  take: TakeEvents,
): EventStore['readEnd'] => {
  const readLast = async (stream: StreamName, count: number): Promise<readonly RecordedEvent[]> => {
    let { events, further } = await readBack(stream, 'end', count);
    while (events.length < count && further !== null) {
      const older = await readBack(stream, further, count - events.length);
      [events, further] = [[...older.events, ...events], older.further];
    }
    return events;
  };
  const readFirst = async (stream: StreamName, count: number): Promise<readonly RecordedEvent[]> => {
    let events: readonly RecordedEvent[] = [];
    let fromRevision: ReadRevision = 'start';
    for (;;) {
      const maxCount = count - events.length;
      const options: ReadStreamOptions = { fromRevision, maxCount };
      const start = (esdb: EventStoreDBClient) => esdb.readStream(stream, options);
      const found = await collectNewest(dependencies, stream, start, maxCount);
      const stored = eventsIn(found);
      events = [...events, ...(await take.all(stored))];
      const last = stored.at(-1);
      if (!last || stored.length < maxCount || events.length === count) return events;
      fromRevision = last.revision + 1n;
    }
  };
  return async (stream, end, count) => {
    if (!isStreamName(stream) || count < 1) return [];
    return end === 'first' ? readFirst(stream, count) : readLast(stream, count);
  };
};

/** Reads a part of a stream in its stored form. */
export const makeEsdbReadStored =
  (dependencies: Dependencies): LogReader['readStored'] =>
  async (stream, from, count) => {
    if (!isStreamName(stream) || count < 1) return [];
    const found = await collectPatiently(dependencies, stream, (esdb) =>
      esdb.readStream(stream, { fromRevision: from, maxCount: count }),
    );
    return found.flatMap(({ event }) => (event?.position ? [storedEvent(event, event.position)] : []));
  };

/** Reads a part of a stream, and includes events that cannot be decoded. */
export const makeEsdbReadEach =
  (dependencies: Dependencies, take: TakeEvents): LogReader['readEach'] =>
  async (stream, from, count) => {
    if (!isStreamName(stream) || count < 1) return [];
    const found = await collectPatiently(dependencies, stream, (esdb) =>
      esdb.readStream(stream, { fromRevision: from, maxCount: count }),
    );
    const stored = await take.prepare(eventsIn(found));
    return stored.flatMap((event) => take.read(event, 'deliver') ?? []);
  };

const eventsIn = <E>(found: readonly { readonly event?: E }[]): readonly E[] =>
  found.flatMap(({ event }) => (event ? [event] : []));

/** Reads the newest event of the log, of any type. */
export const makeEsdbHead =
  (dependencies: Dependencies): EventStore['head'] =>
  async (): Promise<Position | null> => {
    // Callers ask again and again while a server is away, and say so themselves.
    const newest = await readNewest({ ...dependencies, logger: silent });
    return newest?.position ?? null;
  };

/** Reads the event at a position. */
export const makeEsdbEventAt =
  (dependencies: Dependencies): LogReader['eventAt'] =>
  async (position) => {
    const [event] = await readFrom(dependencies, position, 1);
    return event && comparePositions(event.position, position) === 0
      ? storedEvent(event, event.position)
      : null;
  };

/** The newest event of the log; null in an empty one. */
const readNewest = async (dependencies: Dependencies): Promise<LogEvent | null> => {
  const [newest] = await collectPatiently(dependencies, '$all', (esdb) =>
    esdb.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }),
  );
  return logEventsIn([newest])[0] ?? null;
};

/**
 * Events of the log from a position on, inclusive. If no event begins there, the server fails with an unspecific error
 * (UNKNOWN), or begins with a later one.
 */
const readFrom = async (
  dependencies: Dependencies,
  { commit, prepare }: Position,
  maxCount: number,
): Promise<readonly LogEvent[]> =>
  logEventsIn(
    await collectPatiently(
      dependencies,
      '$all',
      (esdb) => esdb.readAll({ direction: 'forwards', fromPosition: { commit, prepare }, maxCount }),
      (cause) => (isNoBeginning(cause) ? 'no-stream' : readReadError(cause)),
    ),
  );

const logEventsIn = (found: readonly (AllStreamResolvedEvent | undefined)[]): readonly LogEvent[] =>
  found.flatMap((each) => (each?.event?.position ? [each.event as LogEvent] : []));

type Found = { readonly event?: { readonly revision: bigint } };

/**
 * A read up to the newest event. If it ends before what this process has seen of the stream, the node is not the leader,
 * or no longer: the read is repeated after the leader was confirmed.
 * @param count where the read may have ended before the newest event: it has if it returned so many
 * @throws LogBehind if the repetition ends there, too
 */
const collectNewest = async <T extends Found>(
  dependencies: Dependencies,
  stream: string,
  start: (esdb: EventStoreDBClient) => StreamingRead<T>,
  count = Infinity,
): Promise<readonly T[]> => {
  const { seen, confirmLeader, logger } = dependencies;
  for (let isConfirmed = false; ; isConfirmed = true) {
    const before = seen.of(stream); // what is appended during the read may be missing from it
    const found = await collectPatiently(dependencies, stream, start);
    const newest = newestIn(found);
    if (newest !== null) seen.note(stream, newest);
    // A stream that was removed is forgotten by now; one whose events have expired is there, and empty.
    const isMissing = found === absent && before >= 0n && seen.of(stream) >= 0n;
    const isBehind = newest === null ? isMissing : newest < before;
    if (!isBehind || found.length >= count) return found;
    logger.warn({ stream, ends: newest, seen: before }, 'event store: a read ends before known events');
    if (isConfirmed) throw new LogBehind(`${stream} ends before revision ${before}, which was there`);
    await confirmLeader();
  }
};

/** Of events in the order of the stream, or in the opposite one. */
const newestIn = (found: readonly Found[]): bigint | null => {
  const [first, last] = [found[0]?.event?.revision ?? null, found.at(-1)?.event?.revision ?? null];
  return first !== null && last !== null && first > last ? first : last;
};

/** What a read of a stream that does not exist returns. */
const absent: readonly never[] = [];

/** Retries after an error, up to a time limit: reading twice is harmless. */
const collectPatiently = async <T>(
  { readers, timeouts, logger, seen, closed, answered }: Dependencies,
  what: string,
  start: (esdb: EventStoreDBClient) => StreamingRead<T>,
  meaningOf: (cause: unknown) => ReturnType<typeof readReadError> = readReadError,
): Promise<readonly T[]> => {
  const backoff = makeBackoff(50, 400);
  const started = performance.now();
  for (;;) {
    if (closed.aborted) throw new EventStoreUnavailable('the event store was closed');
    try {
      const reader = await readers.current();
      const found = await collect(start(reader.esdb), timeouts.readMs);
      // A read that is cancelled, on close or because another node became leader, ends like a complete one.
      if (closed.aborted || reader.retired) continue;
      answered.at = performance.now();
      return found;
    } catch (cause) {
      const meaning = meaningOf(cause);
      if (meaning === 'removed') seen.forget(what);
      if (meaning === 'no-stream' || meaning === 'removed') {
        answered.at = performance.now();
        return absent;
      }
      if (meaning === 'refused') throw refusedAccess(rightToRead(what), cause);
      const wait = backoff.next();
      const over = performance.now() + wait - started >= timeouts.unavailableMs;
      if (over) throw new EventStoreUnavailable(`${what} cannot be read: ${describeError(cause)}`, { cause });
      logger.warn({ what, cause: describeError(cause) }, 'event store: retrying the read');
      await pause(wait, closed);
    }
  }
};

const ignore = (): void => undefined;

/** Collects all results of a read, and cancels the call on exit: leaving the loop does not. */
const collect = async <T>(read: StreamingRead<T>, silenceMs: number): Promise<readonly T[]> => {
  const found: T[] = [];
  let ended = false;
  const watchdog = setTimeout(() => read.destroy(new NoAnswer(`silent for ${silenceMs} ms`)), silenceMs);
  try {
    for await (const event of read) {
      watchdog.refresh();
      found.push(event as T);
    }
    ended = true;
    return found;
  } finally {
    clearTimeout(watchdog);
    if (!ended) read.cancel().catch(ignore);
  }
};
