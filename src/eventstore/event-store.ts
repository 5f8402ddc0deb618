import { type Right, rights } from './server/rights-of-account.ts';
import type { DomainEvent } from '../domain/events.ts';
import type { StreamName } from '../domain/streams.ts';

/**
 * The port to the log. Code outside `src/eventstore` uses the event store only through these types; `esdb.ts`
 * implements them with the real client, `test/support/memory/memory-store.ts` in memory.
 */
export type EventStore = {
  /**
   * Appends atomically at an exact revision. A `conflict` is a value: load again and decide again. Re-sending the same
   * event ids with the same `expected` revision is idempotent, so an append with an unknown outcome is retried
   * internally, with the same ids.
   * @throws EventStoreUnavailable as far as known nothing was written, and no retry succeeded: answer 503
   * @throws AppendOutcomeUnknown the write may or may not be there; re-read before answering
   */
  append(
    stream: StreamName,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
  ): Promise<AppendResult>;
  /** The whole stream, oldest first; a stream that does not exist is empty with revision `no-stream`. @throws StreamUnreadable */
  read(stream: StreamName): Promise<StreamSlice>;
  /**
   * At most `count` events from one end of a stream, oldest first: fewer only when the stream has no more. The cost does not depend on the stream's length.
   * @throws StreamUnreadable
   */
  readEnd(stream: StreamName, end: 'first' | 'last', count: number): Promise<readonly RecordedEvent[]>;
  /**
   * At most `count` events backwards from a revision, or from the newest one; returned oldest first. Events that are left
   * out do not make it empty: it then continues further back. The cost does not depend on the stream's length.
   */
  readBack(stream: StreamName, from: bigint | 'end', count: number): Promise<StreamPart>;
  /** Position of the newest event in the log, or null when it is empty. */
  head(): Promise<Position | null>;
  /**
   * Resolves when the server that is read from leads at this moment: most of the cluster name it, and it has
   * acknowledged an append. For a caller that has read less than must be there: what it reads next is not older than this
   * call. Calls at the same time share the work. `by: 'asking'` leaves out the append, for a log that may not be ours.
   * @throws EventStoreUnavailable
   */
  confirmLeader(by?: 'asking'): Promise<void>;
  /** Cancels open calls; the store cannot be used afterwards. */
  close(): Promise<void>;
};

export type ExpectedRevision = bigint | 'no-stream';

export type EventToAppend = {
  /** UUID. Pass deterministic ids where a repeat must have no effect; by default a random one is generated. */
  readonly id?: string;
  readonly event: DomainEvent;
  readonly metadata?: EventMetadata;
};

/** Used only by documented retention, for streams whose content can no longer matter (docs/reference/retention.md). */
export type StreamRemover = {
  /**
   * Removes a whole stream permanently: readers find it empty, and it accepts no further writes. Its events stay in the
   * log until the server's operator scavenges. An already removed stream counts as removed.
   * @param revision of its last event
   * @returns `changed` when the stream has another last event: nothing was removed
   * @throws EventStoreUnavailable
   */
  remove(stream: StreamName, revision: bigint): Promise<'removed' | 'changed'>;
};

/** Whether the log accepts appends now, and the time of its clock. */
export type AppendProbe = {
  /**
   * Appends once to a stream of its own, of which only the newest event is kept; readers of the log do not see it.
   * @throws EventStoreUnavailable, RightMissing
   */
  probe(): Promise<StoreProbe>;
  /** What became of the appends of requests, and when another call of theirs was last answered. */
  outcomes(): Outcomes;
  /** Tests rights of the account; writes nothing. @returns the missing ones @throws EventStoreUnavailable */
  missingRights(asked: readonly Right[]): Promise<readonly Right[]>;
};

/** In milliseconds of `performance.now()`; −Infinity: never. */
export type Outcomes = {
  readonly succeededAt: number;
  readonly failedAt: number;
  /** Of a read or a probe. */
  readonly answeredAt: number;
  readonly error: unknown;
};

/** Milliseconds since the Unix epoch: `created` by the event store's clock, between two instants of ours. */
export type StoreProbe = { readonly asked: number; readonly created: number; readonly answered: number };

/** Stored with every event, for auditors. All optional; never secret. */
export type EventMetadata = {
  /** User id of the actor, `break-glass` or `addon:<client_id>`. */
  readonly actor?: string;
  /** Id of the administrator token that was used; absent when the actor used a session. */
  readonly tokenId?: string;
  /** An operator's reason, as typed for `--reason`. Not encrypted, so it must not contain personal data. */
  readonly reason?: string;
  readonly correlationId?: string;
  readonly causationId?: string;
  /** The trace in which the event was decided: the header `traceparent` of W3C Trace Context, version 00. */
  readonly traceparent?: string;
};

export type AppendResult =
  | { readonly ok: true; readonly revision: bigint; readonly position: Position }
  | { readonly ok: false; readonly actual: ExpectedRevision };

export type StreamSlice = {
  readonly events: readonly RecordedEvent[];
  /** Revision of the last event; `append` expects it next. */
  readonly revision: ExpectedRevision;
};

/** A part of a stream; `revision` is that of the newest event in it. */
export type StreamPart = StreamSlice & {
  /** The revision from which to read further back; null at the beginning of the stream. */
  readonly further: bigint | null;
};

export type RecordedEvent = {
  readonly id: string;
  readonly stream: StreamName;
  readonly revision: bigint;
  readonly position: Position;
  /** When the log stored it, in milliseconds since the Unix epoch. */
  readonly created: number;
  readonly event: DomainEvent;
  readonly metadata: EventMetadata;
};

/** A place in the log: two unsigned 64-bit halves, compared as a pair. Only positions of events and checkpoints should be stored. */
export type Position = { readonly commit: bigint; readonly prepare: bigint };

export const comparePositions = (a: Position, b: Position): number =>
  a.commit === b.commit
    ? Number(a.prepare > b.prepare) - Number(a.prepare < b.prepare)
    : a.commit > b.commit
      ? 1
      : -1;

/** Delivers the whole log in order, filtered by event type, from a stored position; resumes after every drop. */
export type LogSubscriptions = {
  subscribe(options: {
    /** Exclusive; null is the beginning. */
    readonly after: Position | null;
    readonly eventTypes: readonly DomainEvent['type'][];
    /** When an event cannot be decoded: `fail` ends the subscription there, each time; `deliver` delivers it as unreadable and continues. */
    readonly unreadable?: 'fail' | 'deliver';
    /** Event types that end the subscription with EventOfNewerVersion, after everything before the event was delivered. */
    readonly stopAt?: readonly string[];
    /**
     * With it, an event of a wanted type that is of a newer version and may be skipped ends the subscription in the same
     * way. Events of these types are delivered as unreadable instead if they may be skipped.
     */
    readonly passOver?: readonly string[];
    readonly signal: AbortSignal;
  }): AsyncIterable<LogMessage>;
};

/** The log in its stored form, for proofs and audits. */
export type LogReader = {
  /**
   * Events in the order of the log, up to its end at the time of the call, or to `until` (inclusive). Resumes after a
   * drop from the last delivered event; ends early when the signal is aborted.
   */
  readLog(options: {
    /** Exclusive; null is the beginning. */
    readonly after: Position | null;
    readonly until?: Position;
    /** By default everything except the event store's own events. */
    readonly only?:
      { readonly eventTypes: readonly string[] } | { readonly streams: readonly StreamPattern[] };
    readonly signal: AbortSignal;
  }): AsyncIterable<StoredEvent>;
  /** Whether a version before the first release wrote the log: our first event in it states no version. @throws EventStoreUnavailable */
  isUnreleased(): Promise<boolean>;
  /** The event at exactly this position, of any type; null if there is none. @throws EventStoreUnavailable */
  eventAt(position: Position): Promise<StoredEvent | null>;
  /** Events of one stream from a revision on, oldest first. @throws EventStoreUnavailable */
  readStored(stream: string, from: bigint, count: number): Promise<readonly StoredEvent[]>;
  /** The events that `read` returns, one by one: an undecodable event does not hide the others. @throws EventStoreUnavailable */
  readEach(stream: string, from: bigint, count: number): Promise<readonly ReadEvent[]>;
};

/** One stream by its name, or all streams with a common prefix. ASCII letters, digits, `_`, `.` and `-`. */
export type StreamPattern = { readonly name: string } | { readonly prefix: string };

/** An event in its stored form: data and metadata are plain JSON, of the version in which they were written. */
export type StoredEvent = {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: unknown;
  /** When the log stored it, in milliseconds since the Unix epoch. */
  readonly created: number;
};

/** The facts about an event that need no decoding. */
export type EventReference = Pick<RecordedEvent, 'id' | 'stream' | 'revision' | 'position'> & {
  readonly type: string;
};

/** An event, or the reason why it cannot be decoded: damaged, or written by a newer version of this program. `problem` contains no values. */
export type ReadEvent =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | {
      readonly kind: 'unreadable';
      readonly event: EventReference & { readonly created?: number };
      readonly problem: string;
      /** It is of a newer version and states that a reader may continue without it. */
      readonly maySkip?: boolean;
    };

export type LogMessage =
  /** `unreadable` is delivered only on request. */
  | ReadEvent
  /** Nothing between the last event and this position matches. */
  | { readonly kind: 'checkpoint'; readonly position: Position }
  /** Everything that was in the log when the subscription started (or started again) has been delivered. */
  | { readonly kind: 'caught-up' };

/** The store cannot be reached or cannot work now; nothing was written. */
export class EventStoreUnavailable extends Error {
  override readonly name: string = 'EventStoreUnavailable';
}

/**
 * The log that was read lacks what a credential of ours, or a table, proves to have been there. Nothing may be concluded
 * from what it lacks.
 */
export class LogBehind extends EventStoreUnavailable {
  override readonly name = 'LogBehind';
}

/** The event store refused a call because the account lacks a right: nothing was written, and a retry does not help. */
export class RightMissing extends EventStoreUnavailable {
  override readonly name = 'RightMissing';
  readonly right: Right;
  constructor(right: Right, options?: ErrorOptions) {
    super(`the account of EVENTSTORE_URL may not ${rights[right].name}`, options);
    this.right = right;
  }
}

/** The keys of personal data cannot be read: encrypted data can neither be stored nor read now. */
export class PersonalDataUnavailable extends EventStoreUnavailable {
  override readonly name = 'PersonalDataUnavailable';
}

/**
 * A stream contains an event that cannot be decoded and that no operator has skipped: its content is unknown, so no
 * decision about the stream is possible. The message contains no values.
 */
export class StreamUnreadable extends Error {
  override readonly name = 'StreamUnreadable';
  readonly event: EventReference;
  constructor(event: EventReference, problem: string) {
    super(problem);
    this.event = event;
  }
}

/** The next event needs a newer version of this program: this version must not maintain state that depends on it. */
export class EventOfNewerVersion extends Error {
  override readonly name = 'EventOfNewerVersion';
  readonly event: EventReference;
  /** Whether this version may continue without it, if no newer one does the work. */
  readonly maySkip: boolean;
  constructor(event: EventReference, maySkip: boolean) {
    super(`${event.type} at ${event.stream}@${event.revision} is of a newer version of this program`);
    this.event = event;
    this.maySkip = maySkip;
  }
}

/** The log has no event at a position where one was read before: it is another log, or a restored older one that has grown since. */
export class PositionNotInLog extends Error {
  override readonly name = 'PositionNotInLog';
}

/** Every retry of an append ended without an answer: it may have been written. */
export class AppendOutcomeUnknown extends Error {
  override readonly name = 'AppendOutcomeUnknown';
}

/** A bug of ours, caught before the call left the process: bad stream name, type, id, revision or size. */
export class InvalidAppend extends Error {
  override readonly name = 'InvalidAppend';
}

/** Nothing was changed; the message says what to do. */
export class UnreleasedLog extends Error {
  override readonly name = 'UnreleasedLog';
  constructor() {
    super(
      'the event store of EVENTSTORE_URL holds the log of a version before 1.0.0, which no release reads. Nothing was changed. Let EVENTSTORE_URL lead to an empty event store, and DATABASE_URL to an empty database.',
    );
  }
}
