import { nextWrite } from '../log/next-write.ts';
import { randomUUID } from 'node:crypto';
import type { DomainEvent } from '../../../src/domain/events.ts';
import type { StreamName } from '../../../src/domain/streams.ts';
import { codec } from '../../../src/eventstore/codec/codec.ts';
import {
  comparePositions,
  InvalidAppend,
  type AppendResult,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type LogMessage,
  type LogReader,
  type LogSubscriptions,
  type Position,
  type RecordedEvent,
  type StoredEvent,
  type StreamPattern,
} from '../../../src/eventstore/event-store.ts';

/** Hooks around an append: before the conflict check, or after the write and before the answer. */
export type MemoryStoreHooks = {
  readonly beforeAppend?: (stream: StreamName, events: readonly EventToAppend[]) => Promise<void> | void;
  readonly afterAppend?: (stream: StreamName, events: readonly EventToAppend[]) => Promise<void> | void;
  readonly beforeRead?: (stream: StreamName) => Promise<void> | void;
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const name = /^[a-zA-Z]+-[A-Za-z0-9_.]{1,200}$/;

/**
 * The event store in memory, with the guarantees of the port: exact revisions, idempotent by event id at the same
 * expected revision, JSON round trip of stored data, subscriptions that resume. Every call yields at least once, like
 * I/O.
 */
export function memoryStore(
  hooks: MemoryStoreHooks = {},
  /** The events of an earlier store, which this one continues. */
  earlier: readonly RecordedEvent[] = [],
): EventStore & LogSubscriptions & LogReader & { readonly all: () => readonly RecordedEvent[] } {
  const log: RecordedEvent[] = [...earlier];
  const streams = new Map<StreamName, RecordedEvent[]>();
  for (const recorded of earlier)
    streams.set(recorded.stream, [...(streams.get(recorded.stream) ?? []), recorded]);
  const waiting = new Set<() => void>();

  const write = (
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): AppendResult => {
    const recorded = streams.get(stream) ?? [];
    const actual = revisionOf(recorded);
    if (actual !== expected) return repeated(recorded, expected, events) ?? { ok: false, actual };
    for (const appended of events) {
      const next = record(stream, BigInt(recorded.length), BigInt(log.length + 1), appended);
      recorded.push(next);
      log.push(next);
    }
    streams.set(stream, recorded);
    for (const wake of waiting) wake();
    return appendedUpTo(recorded.at(-1));
  };

  return {
    async append(stream, expected, events) {
      validate(stream, events);
      await hooks.beforeAppend?.(stream, events);
      await Promise.resolve();
      const result = write(stream, expected, events);
      if (result.ok) await hooks.afterAppend?.(stream, events);
      return result;
    },
    confirmLeader: () => Promise.resolve(),
    async read(stream) {
      await hooks.beforeRead?.(stream);
      await Promise.resolve();
      const recorded = streams.get(stream) ?? [];
      return { events: [...recorded], revision: revisionOf(recorded) };
    },
    async readEnd(stream, end, count) {
      await hooks.beforeRead?.(stream);
      await Promise.resolve();
      const recorded = streams.get(stream) ?? [];
      if (count < 1) return [];
      return end === 'first' ? recorded.slice(0, count) : recorded.slice(-count);
    },
    async readBack(stream, from, count) {
      await hooks.beforeRead?.(stream);
      await Promise.resolve();
      const recorded = streams.get(stream) ?? [];
      const end = from === 'end' ? recorded.length : Math.min(recorded.length, Number(from) + 1);
      const start = Math.max(0, end - count);
      const events = recorded.slice(start, end);
      return {
        events,
        revision: revisionOf(recorded.slice(0, end)),
        further: start > 0 ? BigInt(start - 1) : null,
      };
    },
    head: () => Promise.resolve(log.at(-1)?.position ?? null),
    close: () => Promise.resolve(),
    subscribe: (options) => follow(log, waiting, options),
    all: () => log,
    readLog: (options) => readThrough([...log], options),
    eventAt(position) {
      const found = log.find((event) => comparePositions(event.position, position) === 0);
      return Promise.resolve(found ? toStored(found) : null);
    },
    isUnreleased: () => Promise.resolve(false),
    async readStored(stream, from, count) {
      await Promise.resolve();
      const found = log.filter((event) => event.stream === stream && event.revision >= from);
      return found.slice(0, count).map(toStored);
    },
    async readEach(stream, from, count) {
      await Promise.resolve();
      const found = log.filter((event) => event.stream === stream && event.revision >= from);
      return found.slice(0, count).map((event) => ({ kind: 'event', event }) as const);
    },
  };
}

const toStored = ({ event, metadata, ...place }: RecordedEvent): StoredEvent => {
  const { type, data, metadata: envelope } = codec.encode(event, metadata);
  return { ...place, type, data, metadata: envelope };
};

async function* readThrough(
  log: readonly RecordedEvent[],
  { after, until, only, signal }: Parameters<LogReader['readLog']>[0],
): AsyncGenerator<StoredEvent> {
  for (const event of log) {
    await Promise.resolve();
    if (signal.aborted) return;
    if (after && comparePositions(event.position, after) <= 0) continue;
    if (until && comparePositions(event.position, until) > 0) return;
    const wanted =
      !only ||
      ('eventTypes' in only
        ? only.eventTypes.includes(event.event.type)
        : only.streams.some((pattern) => matches(event.stream, pattern)));
    if (wanted) yield toStored(event);
  }
}

const matches = (stream: string, pattern: StreamPattern): boolean =>
  'name' in pattern ? stream === pattern.name : stream.startsWith(pattern.prefix);

async function* follow(
  log: readonly RecordedEvent[],
  waiting: Set<() => void>,
  { after, eventTypes, signal }: Parameters<LogSubscriptions['subscribe']>[0],
): AsyncGenerator<LogMessage> {
  let index =
    after === null ? 0 : log.filter(({ position }) => comparePositions(position, after) <= 0).length;
  let caughtUp = false;
  while (!signal.aborted) {
    const event = log[index];
    if (event) {
      index += 1;
      if (eventTypes.includes(event.event.type)) yield { kind: 'event', event };
    } else if (!caughtUp) {
      caughtUp = true;
      yield { kind: 'caught-up' };
    } else await nextWrite(waiting, signal);
  }
}

const validate = (stream: StreamName, events: readonly EventToAppend[]): void => {
  if (!name.test(stream)) throw new InvalidAppend(`not a stream name: ${stream}`);
  if (events.length === 0) throw new InvalidAppend('nothing to append');
  for (const { id } of events)
    if (id !== undefined && !uuid.test(id)) throw new InvalidAppend(`not a UUID: ${id}`);
};

const revisionOf = (recorded: readonly RecordedEvent[]): ExpectedRevision =>
  recorded.length === 0 ? 'no-stream' : BigInt(recorded.length - 1);

const appendedUpTo = (last: RecordedEvent | undefined): AppendResult => {
  if (!last) throw new InvalidAppend('nothing to append');
  return { ok: true, revision: last.revision, position: last.position };
};

/** The same ids right after the same expected revision are a retry: the first answer is returned again. */
const repeated = (
  recorded: readonly RecordedEvent[],
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
): AppendResult | null => {
  const from = expected === 'no-stream' ? 0 : Number(expected) + 1;
  const there = recorded.slice(from, from + events.length);
  const same = there.length === events.length && there.every(({ id }, index) => id === events[index]?.id);
  return same ? appendedUpTo(there.at(-1)) : null;
};

const record = (
  stream: StreamName,
  revision: bigint,
  place: bigint,
  { id, event, metadata }: EventToAppend,
): RecordedEvent => ({
  id: id ?? randomUUID(),
  stream,
  revision,
  position: { commit: place, prepare: place } satisfies Position,
  created: Date.now(),
  event: JSON.parse(JSON.stringify(event)) as DomainEvent,
  metadata: metadata ?? {},
});
