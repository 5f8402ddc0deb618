import type { EventStoreDBClient, StreamingRead } from '@eventstore/db-client';
import { makeBackoff, pause } from './backoff.ts';
import { describeError, readReadError } from './esdb-errors.ts';
import {
  type EventStore,
  EventStoreUnavailable,
  type LogReader,
  type Position,
  type StreamSlice,
} from './event-store.ts';
import type { Logger } from './logger.ts';
import type { ReadClients } from './read-client.ts';
import { storedEvent } from './read-log.ts';
import type { TakeEvents } from './take-events.ts';
import type { Timeouts } from './timeouts.ts';
import { isStreamName } from './validate.ts';
import { NoAnswer } from './within.ts';

type Needs = {
  readonly readers: Pick<ReadClients, 'current'>;
  readonly timeouts: Timeouts;
  readonly logger: Logger;
  /** Aborted when the store is closed. */
  readonly closed: AbortSignal;
};

const nothing: StreamSlice = { events: [], revision: 'no-stream' };

/**
 * Reads whole streams. Nothing is there to read in a stream that does not exist, was deleted, or has a name that no
 * stream can have (the last without a call). @throws UndecodableEvent, UnknownEventType
 */
export const makeEsdbRead =
  (needs: Needs, take: TakeEvents): EventStore['read'] =>
  async (stream) => {
    if (!isStreamName(stream)) return nothing;
    const found = await collectPatiently(needs, stream, (esdb) => esdb.readStream(stream));
    const stored = await take.prepare(eventsIn(found));
    const events = stored.flatMap((event) => take.decode(event) ?? []);
    return { events, revision: stored.at(-1)?.revision ?? 'no-stream' };
  };

/** Reads a few events from one end of a stream. @throws UndecodableEvent, UnknownEventType */
export const makeEsdbReadEnd =
  (needs: Needs, take: TakeEvents): EventStore['readEnd'] =>
  async (stream, end, count) => {
    if (!isStreamName(stream) || count < 1) return [];
    const from =
      end === 'first'
        ? ({ direction: 'forwards', fromRevision: 'start' } as const)
        : ({ direction: 'backwards', fromRevision: 'end' } as const);
    const found = await collectPatiently(needs, stream, (esdb) =>
      esdb.readStream(stream, { ...from, maxCount: count }),
    );
    const inOrder = end === 'first' ? eventsIn(found) : eventsIn(found).toReversed();
    return (await take.prepare(inOrder)).flatMap((event) => take.decode(event) ?? []);
  };

/** Reads a part of a stream as it is stored. */
export const makeEsdbReadStored =
  (needs: Needs): LogReader['readStored'] =>
  async (stream, from, count) => {
    if (!isStreamName(stream) || count < 1) return [];
    const found = await collectPatiently(needs, stream, (esdb) =>
      esdb.readStream(stream, { fromRevision: from, maxCount: count }),
    );
    return found.flatMap(({ event }) => (event?.position ? [storedEvent(event, event.position)] : []));
  };

/** Reads a part of a stream, past what cannot be decoded. */
export const makeEsdbReadEach =
  (needs: Needs, take: TakeEvents): LogReader['readEach'] =>
  async (stream, from, count) => {
    if (!isStreamName(stream) || count < 1) return [];
    const found = await collectPatiently(needs, stream, (esdb) =>
      esdb.readStream(stream, { fromRevision: from, maxCount: count }),
    );
    const stored = await take.prepare(eventsIn(found));
    return stored.flatMap((event) => take.read(event, 'deliver') ?? []);
  };

const eventsIn = <E>(found: readonly { readonly event?: E }[]): readonly E[] =>
  found.flatMap(({ event }) => (event ? [event] : []));

/** Asks for the newest event of the log, of whatever type. */
export const makeEsdbHead =
  (needs: Needs): EventStore['head'] =>
  async (): Promise<Position | null> => {
    const [newest] = await collectPatiently(needs, '$all', (esdb) =>
      esdb.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }),
    );
    return newest?.event?.position ?? null;
  };

/** Starts over after an error, for a while: reading twice harms nobody. */
const collectPatiently = async <T>(
  { readers, timeouts, logger, closed }: Needs,
  what: string,
  start: (esdb: EventStoreDBClient) => StreamingRead<T>,
): Promise<readonly T[]> => {
  const backoff = makeBackoff(50, 400);
  const started = performance.now();
  for (;;) {
    if (closed.aborted) throw new EventStoreUnavailable('the event store was closed');
    try {
      const reader = await readers.current();
      const found = await collect(start(reader.esdb), timeouts.readMs);
      // A read that is cancelled, on close or because another node leads, ends like a complete one.
      if (!closed.aborted && !reader.retired) return found;
    } catch (cause) {
      const meaning = readReadError(cause);
      if (meaning === 'no-stream') return [];
      const wait = backoff.next();
      const over = performance.now() + wait - started >= timeouts.unavailableMs;
      if (meaning === 'refused' || over)
        throw new EventStoreUnavailable(`${what} cannot be read: ${describeError(cause)}`, { cause });
      logger.warn({ what, cause: describeError(cause) }, 'event store: the read is tried again');
      await pause(wait, closed);
    }
  }
};

const ignore = (): void => undefined;

/** Takes all of a read, and cancels the call when it is left: leaving the loop alone does not. */
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
