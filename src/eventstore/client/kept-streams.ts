import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { categoryOf } from '../../domain/kernel/stream-name.ts';
import type { StoredEvent } from '../codec/codec.ts';
import { comparePositions, type EventStore, type Position, RightMissing } from '../event-store.ts';
import type { SeenRevisions } from './seen-revisions.ts';

/** An event of the log; the client gives each its position. */
export type LogEvent = StoredEvent & { readonly position: Position };

/** The events of a stream as the log has them now, oldest first. */
export type KeptStreams = {
  whole(stream: string): Promise<readonly StoredEvent[]>;
  /** The newest ones, at most `count`; null: this stream is not kept, and has to be read. */
  tail(stream: string, count: number): Promise<readonly StoredEvent[] | null>;
};

type Dependencies = {
  /** Of streams that are read again and again, and are short. */
  readonly categories: readonly string[];
  readonly load: (stream: string) => Promise<readonly StoredEvent[]>;
  /** The newest event of the log; null in an empty one. */
  readonly newest: () => Promise<LogEvent | null>;
  /** Events of the log from a position on, inclusive; none if no event is there. */
  readonly from: (position: Position, count: number) => Promise<readonly LogEvent[]>;
  readonly seen: SeenRevisions;
  readonly confirmLeader: EventStore['confirmLeader'];
};

/** A read of so many new events costs as much as the reads of streams that it saves. */
const mostNew = 100;
/** In milliseconds: for how long streams are read one by one after the log could not be read, or ended too early. */
const pauseMs = 5_000;
/** In characters of JSON. */
const mostKept = 16 * 1024 * 1024;
const mostOfStream = 256 * 1024;

/**
 * Keeps streams that were read, and brings all of them up to date by one read of what is new in the log. Callers share it,
 * and it begins after each of them has asked: nothing that was acknowledged before is missed. It starts at the event
 * where the last one ended, which has to be there still: otherwise it is another log, or a node that has lost events,
 * and all is read anew. So it is when the log ends before an append of this process; then the leader is confirmed first.
 */
export const makeKeptStreams = ({
  categories,
  load,
  newest,
  from,
  seen,
  confirmLeader,
}: Dependencies): KeptStreams => {
  const kept = new LRUCache<string, readonly StoredEvent[]>({
    maxSize: mostKept,
    maxEntrySize: mostOfStream,
    sizeCalculation: sizeOf,
  });
  const tooLong = new LRUCache<string, true>({ max: 1_000 });
  /** What was new in a stream while it was read for the first time. */
  const loading = new Map<string, StoredEvent[]>();
  /** Streams that were found to end after `last`, with their newest event: to be met by the next read of the log. */
  const ahead = new Map<string, string>();
  /** Up to here `kept` is complete. */
  let last: LogEvent | null = null;
  /** How many events this process had appended when the last read began. */
  let appendedBefore = 0;
  let pausedUntil = -Infinity;

  const forget = (pause = 0): void => {
    kept.clear();
    loading.clear();
    ahead.clear();
    last = null;
    pausedUntil = performance.now() + pause;
  };

  const apply = (event: StoredEvent): void => {
    const ofMetadata = event.streamId.startsWith('$$');
    const stream = ofMetadata ? event.streamId.slice(2) : event.streamId;
    loading.get(stream)?.push(event);
    const events = kept.peek(stream);
    if (!events) return;
    const next = revisionOf(events) + 1n;
    // Metadata can hide events; a removed stream ends with an event of a far revision.
    if (ofMetadata || event.revision > next) kept.delete(stream);
    else if (event.revision === next) kept.set(stream, [...events, event]);
  };

  /** False if what is new cannot be known, or is not worth it. */
  const takeNew = async (after: LogEvent): Promise<boolean> => {
    if (seen.appended().events - appendedBefore >= mostNew) return false;
    const [first, ...events] = await from(after.position, mostNew);
    const isThere = first?.id === after.id && comparePositions(first.position, after.position) === 0;
    if (!isThere || events.length + 1 === mostNew) return false;
    const met = new Set(events.map(({ id }) => id));
    for (const [stream, id] of ahead) if (!met.has(id)) kept.delete(stream);
    ahead.clear();
    events.forEach(apply);
    last = events.at(-1) ?? after;
    return true;
  };

  const readNew = async (): Promise<void> => {
    if (performance.now() < pausedUntil) return;
    const appended = seen.appended();
    try {
      if (!last || !(await takeNew(last))) {
        forget();
        last = await newest();
      }
    } catch (error) {
      forget(pauseMs);
      if (!(error instanceof RightMissing)) throw error; // streams can be read without the right to read the log
    }
    appendedBefore = appended.events;
    if (!last || !appended.last || comparePositions(last.position, appended.last) >= 0) return;
    forget(pauseMs);
    await confirmLeader();
  };

  let underWay: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | null = null;
  const catchUp = (): Promise<void> =>
    (next ??= underWay.then(async () => {
      await setImmediate(); // whoever asks in this turn shares it
      next = null;
      const reading = readNew();
      underWay = reading.catch(() => undefined); // its callers get it
      return reading;
    }));

  const upToDate = async (stream: string): Promise<readonly StoredEvent[] | null> => {
    const least = seen.of(stream);
    await catchUp();
    const events = kept.get(stream);
    if (!events) return null;
    if (revisionOf(events) >= least) return events;
    kept.delete(stream);
    return null;
  };

  const loadAndKeep = async (stream: string): Promise<readonly StoredEvent[]> => {
    if (!last || loading.has(stream)) return load(stream);
    const arrived: StoredEvent[] = [];
    loading.set(stream, arrived);
    try {
      const events = await load(stream);
      if (loading.get(stream) !== arrived) return events; // forgotten meanwhile
      if (sizeOf(events) > mostOfStream) tooLong.set(stream, true);
      else kept.set(stream, events);
      loading.delete(stream);
      const newest = events.at(-1);
      if (newest?.position && comparePositions(newest.position, last.position) > 0)
        ahead.set(stream, newest.id);
      arrived.forEach(apply);
      return events;
    } finally {
      if (loading.get(stream) === arrived) loading.delete(stream);
    }
  };

  const isKept = (stream: string): boolean => categories.includes(categoryOf(stream));
  const whole = async (stream: string): Promise<readonly StoredEvent[]> => {
    if (!isKept(stream)) return load(stream);
    const events = last && !kept.has(stream) ? null : await upToDate(stream);
    if (!events) return loadAndKeep(stream);
    seen.note(stream, revisionOf(events));
    return events;
  };
  return {
    whole,
    tail: async (stream, count) =>
      isKept(stream) && !tooLong.has(stream) ? (await whole(stream)).slice(-count) : null,
  };
};

/** −1 for an empty stream. */
const revisionOf = (events: readonly StoredEvent[]): bigint => events.at(-1)?.revision ?? -1n;

const sizes = new WeakMap<StoredEvent, number>();

/** At least 1, as an empty stream is kept, too. */
const sizeOf = (events: readonly StoredEvent[]): number =>
  events.reduce((sum, event) => {
    const known = sizes.get(event) ?? JSON.stringify([event.data, event.metadata]).length + 300;
    sizes.set(event, known);
    return sum + known;
  }, 100);
