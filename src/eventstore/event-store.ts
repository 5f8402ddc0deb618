import type { DomainEvent } from '../domain/events.ts';
import type { StreamName } from '../domain/streams.ts';

/**
 * The port to the log. Everything outside `src/eventstore` knows the event store by these
 * types only; `esdb.ts` implements them over the real client, `test/support/memory-store.ts` in memory.
 */
export type EventStore = {
  /**
   * Appends atomically at an exact revision. A `conflict` is a value: load again and decide again.
   * Re-sending the same event ids with the same `expected` revision is idempotent, so an unknown outcome is
   * retried inside, with the same ids.
   * @throws EventStoreUnavailable nothing is known to be written and nothing was retried successfully: answer 503
   * @throws AppendOutcomeUnknown the write may or may not be there; re-read before answering
   */
  append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult>;
  /**
   * The whole stream, oldest first; a stream that does not exist is empty with revision `no-stream`. @throws StreamUnreadable
   */
  read(stream: StreamName): Promise<StreamSlice>;
  /** At most `count` events from one end of a stream, oldest first: what it costs does not depend on how long the stream is. @throws StreamUnreadable */
  readEnd(stream: StreamName, end: 'first' | 'last', count: number): Promise<readonly RecordedEvent[]>;
  /**
   * At most `count` events from a revision, or from the newest one, backwards; oldest first. What it costs does not depend on how
   * long the stream is.
   */
  readBack(stream: StreamName, from: bigint | 'end', count: number): Promise<StreamPart>;
  /** Position of the newest event in the log, or null when it is empty. */
  head(): Promise<Position | null>;
  /** Cancels what is open; the store cannot be used afterwards. */
  close(): Promise<void>;
};

export type ExpectedRevision = bigint | 'no-stream';

export type EventToAppend = {
  /** UUID. Give deterministic ids where a repeat must be a no-op; by default a random one is made. */
  readonly id?: string;
  readonly event: DomainEvent;
  readonly metadata?: EventMetadata;
};

/** What documented retention does to a stream whose content can no longer matter, and nothing else does to any (docs/retention.md). */
export type StreamRemover = {
  /**
   * Removes a whole stream for good: whoever reads it finds it empty, and nothing can be written to it again. Its events stay in the log
   * until the server's operator scavenges. A stream that is removed already counts as removed now.
   * @param revision of its last event
   * @returns `changed` when it ends elsewhere: nothing was removed
   * @throws EventStoreUnavailable
   */
  remove(stream: StreamName, revision: bigint): Promise<'removed' | 'changed'>;
};

/** Whether the log takes appends now, and what time it is there. */
export type AppendProbe = {
  /**
   * Appends to a stream of its own, once; of that stream nothing but the newest event is kept, and no reader of the log sees it.
   * @throws EventStoreUnavailable, WriteDenied
   */
  probe(): Promise<StoreProbe>;
};

/** Milliseconds since the Unix epoch: `created` by the event store's clock, between two instants of ours. */
export type StoreProbe = { readonly asked: number; readonly created: number; readonly answered: number };

/** Kept beside every event, for auditors. All optional; never secret. */
export type EventMetadata = {
  /** User id of who acted, `break-glass`, `addon:<client_id>` or, in older events, `operator`. */
  readonly actor?: string;
  /** Id of the administrator token that it was done with; none when the actor was there. */
  readonly tokenId?: string;
  /** Why an operator did it, as typed for `--reason`. Not encrypted: it is no place for personal data. */
  readonly reason?: string;
  readonly correlationId?: string;
  readonly causationId?: string;
  /** Where in which trace the event was decided: the header `traceparent` of W3C Trace Context, version 00. */
  readonly traceparent?: string;
};

export type AppendResult =
  | { readonly ok: true; readonly revision: bigint; readonly position: Position }
  | { readonly ok: false; readonly actual: ExpectedRevision };

export type StreamSlice = {
  readonly events: readonly RecordedEvent[];
  /** Of the last event; what `append` expects next. */
  readonly revision: ExpectedRevision;
};

/** A part of a stream; `revision` is that of the newest event in it. */
export type StreamPart = StreamSlice & {
  /** From which revision to read further back; null when nothing comes before this part. */
  readonly further: bigint | null;
};

export type RecordedEvent = {
  readonly id: string;
  readonly stream: StreamName;
  readonly revision: bigint;
  readonly position: Position;
  /** When the log stored it, milliseconds since the Unix epoch. */
  readonly created: number;
  readonly event: DomainEvent;
  readonly metadata: EventMetadata;
};

/** A place in the log: two unsigned 64-bit halves, compared as a pair. Only events and checkpoints have one worth storing. */
export type Position = { readonly commit: bigint; readonly prepare: bigint };

export const comparePositions = (a: Position, b: Position): number =>
  a.commit === b.commit
    ? Number(a.prepare > b.prepare) - Number(a.prepare < b.prepare)
    : a.commit > b.commit
      ? 1
      : -1;

/** Ordered delivery of the whole log, filtered by event type, from a stored position, resumed after every drop. */
export type LogSubscriptions = {
  subscribe(options: {
    /** Exclusive; null is the beginning. */
    readonly after: Position | null;
    readonly eventTypes: readonly DomainEvent['type'][];
    /** What happens at an event that cannot be decoded: the subscription fails there, each time, or says so and goes on. */
    readonly unreadable?: 'fail' | 'deliver';
    /** Types at which it ends, after everything before such an event was delivered: with EventOfNewerVersion. */
    readonly stopAt?: readonly string[];
    readonly signal: AbortSignal;
  }): AsyncIterable<LogMessage>;
};

/** The log as it is stored, for whoever proves or explains what is in it. */
export type LogReader = {
  /**
   * Events in the order of the log, until everything that was in it when the call began has been delivered, or `until` (inclusive)
   * is passed. Goes on after a drop from the last one delivered; ends early when the signal is aborted.
   */
  readLog(options: {
    /** Exclusive; null is the beginning. */
    readonly after: Position | null;
    readonly until?: Position;
    /** Everything but the event store's own by default. */
    readonly only?:
      { readonly eventTypes: readonly string[] } | { readonly streams: readonly StreamPattern[] };
    readonly signal: AbortSignal;
  }): AsyncIterable<StoredEvent>;
  /** The event at exactly this position, of whatever type; null when none is there. @throws EventStoreUnavailable */
  eventAt(position: Position): Promise<StoredEvent | null>;
  /** Events of one stream from a revision on, oldest first; none when there are none. @throws EventStoreUnavailable */
  readStored(stream: string, from: bigint, count: number): Promise<readonly StoredEvent[]>;
  /** The same as `read` has them, one by one: one that cannot be decoded hides none of the others. @throws EventStoreUnavailable */
  readEach(stream: string, from: bigint, count: number): Promise<readonly ReadEvent[]>;
};

/** A stream by its whole name, or all whose names begin alike. ASCII letters, digits, `_`, `.` and `-`. */
export type StreamPattern = { readonly name: string } | { readonly prefix: string };

/** An event as the log has it: data and metadata are plain JSON, of whatever version they were written in. */
export type StoredEvent = {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: unknown;
  /** When the log stored it, milliseconds since the Unix epoch. */
  readonly created: number;
};

/** What is known of an event without reading its data. */
export type EventReference = Pick<RecordedEvent, 'id' | 'stream' | 'revision' | 'position'> & {
  readonly type: string;
};

/** An event, or why there is none: damaged, or written by a newer version of this program. `problem` holds no values. */
export type ReadEvent =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'unreadable'; readonly event: EventReference; readonly problem: string };

export type LogMessage =
  /** `unreadable` comes to those only who asked for it. */
  | ReadEvent
  /** Nothing that matches lies between the last event and here. */
  | { readonly kind: 'checkpoint'; readonly position: Position }
  /** Everything that was in the log when the subscription started (or started again) has been delivered. */
  | { readonly kind: 'caught-up' };

/** The store cannot be reached or refuses to work now; nothing was written. */
export class EventStoreUnavailable extends Error {
  override readonly name: string = 'EventStoreUnavailable';
}

/** The account may not append the probe; whether it may append anything else is not known. */
export class WriteDenied extends EventStoreUnavailable {
  override readonly name = 'WriteDenied';
}

/** The keys of personal data cannot be asked for: what is encrypted under one can neither be stored nor read now. */
export class PersonalDataUnavailable extends EventStoreUnavailable {
  override readonly name = 'PersonalDataUnavailable';
}

/**
 * A stream holds an event that cannot be decoded, and that nobody has passed over: what it says is not known, so nothing can be
 * decided on the stream. Its message holds no values.
 */
export class StreamUnreadable extends Error {
  override readonly name = 'StreamUnreadable';
  readonly event: EventReference;
  constructor(event: EventReference, problem: string) {
    super(problem);
    this.event = event;
  }
}

/** The next event is for a newer version of this program: whoever keeps what follows from it has to know it. */
export class EventOfNewerVersion extends Error {
  override readonly name = 'EventOfNewerVersion';
  readonly event: EventReference;
  constructor(event: EventReference) {
    super(`${event.type} at ${event.stream}@${event.revision} is of a newer version of this program`);
    this.event = event;
  }
}

/** The log has no event where one was read before: it is another one, or an older one that has grown since. */
export class PositionNotInLog extends Error {
  override readonly name = 'PositionNotInLog';
}

/** Every retry of an append ended without a word: it may be written. */
export class AppendOutcomeUnknown extends Error {
  override readonly name = 'AppendOutcomeUnknown';
}

/** A bug of ours, caught before the call left the process: bad stream name, type, id, revision or size. */
export class InvalidAppend extends Error {
  override readonly name = 'InvalidAppend';
}
