import type { EventStoreDBClient } from '@eventstore/db-client';
import type * as streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { CallOptions, Metadata } from '@grpc/grpc-js';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Calls,
  callStreams,
  type EventToSend,
  type ExpectedRevision,
  json,
  nothing,
  streams,
  unaryAppend,
} from './unary-calls.ts';

export type Position = { readonly commit: bigint; readonly prepare: bigint };

export const isAfter = (a: Position, b: Position): boolean =>
  a.commit === b.commit ? a.prepare > b.prepare : a.commit > b.commit;

/** An event in its stored bytes; the client would parse data and metadata as JSON and serialize them anew. */
export type RawEvent = {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
  readonly type: string;
  /** Whether it is marked as JSON; not verified. */
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  /** By the server's clock, in the server's units. */
  readonly created: string;
};

export type EventToCopy = EventToSend;

/** A whole log in its stored form, including the event store's own events. */
export type RawLog = {
  /** From after a position (null: the beginning) to the end. @throws what `failed` makes; ends early when aborted */
  read(after: Position | null, signal: AbortSignal): AsyncGenerator<RawEvent>;
  /**
   * Appends at an exact revision. While the outcome is unknown it sends the same append again; calls must be
   * sequential.
   * @returns false when the stream is at another revision
   * @throws what `failed` makes: it may have been written
   */
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToCopy[],
    signal: AbortSignal,
  ): Promise<boolean>;
};

export type Failures = {
  /** Whether another try would fail in the same way. */
  readonly isFinal: (cause: unknown) => boolean;
  /** The error to throw when `what` is the case and there is no more patience. */
  readonly failed: (what: string, cause: unknown) => Error;
};

const pageSize = 500;
/** How long to wait for a server that is unavailable or elects a leader: an interrupted copy continues when run again. */
const patienceMs = 6_000;
/** An append without an answer is sent again while there is patience; it must not use all of it. */
const appendMs = 2_500;

/** The log behind a client, which the caller closes. */
export const rawLog = (esdb: EventStoreDBClient, { isFinal, failed }: Failures): RawLog => {
  const patiently = async <T>(what: string, signal: AbortSignal, once: () => Promise<T>): Promise<T> => {
    const started = performance.now();
    for (let wait = 100; ; wait = Math.min(2 * wait, 2_000))
      try {
        return await once();
      } catch (cause) {
        const left = started + patienceMs - performance.now();
        if (left <= 0 || isFinal(cause) || signal.aborted) throw failed(what, cause);
        await delay(Math.min(wait, left), undefined, { signal }).catch(() => undefined); // to the last moment, and no longer
      }
  };
  return {
    async *read(after, signal) {
      for (let from = after; !signal.aborted;) {
        const page = await patiently('the log cannot be read', signal, () =>
          callStreams(esdb, 'readAll', (calls, args) => readPage(calls, args, from)),
        );
        for (const event of page) if (!isAt(event, from)) yield event;
        const last = page.at(-1);
        if (page.length < pageSize || !last) return;
        from = last.position;
      }
    },
    append: (stream, expected, events, signal) =>
      patiently(`nothing could be appended to ${stream}`, signal, () =>
        unaryAppend(esdb, stream, expected, events, appendMs),
      ),
  };
};

/** A page begins with the last event of the previous page. */
const isAt = ({ position }: RawEvent, from: Position | null): boolean =>
  from !== null && !isAfter(position, from);

const readPage = (
  calls: Calls,
  args: [Metadata, CallOptions],
  from: Position | null,
): Promise<readonly RawEvent[]> =>
  new Promise((resolve, reject) => {
    const found: RawEvent[] = [];
    calls
      .read(new streams.ReadReq().setOptions(pageFrom(from)), ...args)
      .on('data', (message: streamsPb.ReadResp) => {
        const event = message.getEvent()?.getEvent();
        if (event) found.push(toRaw(event));
      })
      .on('error', reject)
      .on('end', () => resolve(found));
  });

const pageFrom = (from: Position | null) => {
  const { Options } = streams.ReadReq;
  const all = new Options.AllOptions();
  if (from === null) all.setStart(nothing());
  else
    all.setPosition(
      new Options.Position().setCommitPosition(String(from.commit)).setPreparePosition(String(from.prepare)),
    );
  return new Options()
    .setAll(all)
    .setCount(String(pageSize))
    .setNoFilter(nothing())
    .setUuidOption(new Options.UUIDOption().setString(nothing()));
};

const toRaw = (event: streamsPb.ReadResp.ReadEvent.RecordedEvent): RawEvent => {
  const facts = event.getMetadataMap();
  return {
    id: event.getId()?.getString() ?? '',
    stream: Buffer.from(event.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString('utf8'),
    revision: BigInt(event.getStreamRevision()),
    position: {
      commit: BigInt(event.getCommitPosition()),
      prepare: BigInt(event.getPreparePosition()),
    },
    type: facts.get('type') ?? '',
    isJson: facts.get('content-type') === json,
    data: event.getData_asU8(),
    metadata: event.getCustomMetadata_asU8(),
    created: facts.get('created') ?? '',
  };
};
