import type * as streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { CallOptions, Metadata } from '@grpc/grpc-js';
import { makeBackoff, pause } from '../../common/backoff.ts';
import { checkConnectionString } from '../server/connection-problems.ts';
import { describeError, statusOf } from '../client/esdb-errors.ts';
import {
  comparePositions,
  EventStoreUnavailable,
  type ExpectedRevision,
  type Position,
} from '../event-store.ts';
import { openClient } from '../client/open-client.ts';
import {
  type Calls,
  callStreams,
  type EventToSend,
  json,
  nothing,
  streams,
  unaryAppend,
} from '../client/unary-calls.ts';
import { dispose } from '../client/write-client.ts';

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
  /** From after a position (null: the beginning) to the end. @throws EventStoreUnavailable; ends early when aborted */
  read(after: Position | null, signal: AbortSignal): AsyncGenerator<RawEvent>;
  /**
   * Appends at an exact revision. While the outcome is unknown it sends the same append again; calls must be
   * sequential.
   * @returns false when the stream is at another revision
   * @throws EventStoreUnavailable: it may have been written
   */
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToCopy[],
    signal: AbortSignal,
  ): Promise<boolean>;
  close(): Promise<void>;
};

const pageSize = 500;
/** How long to wait for a server that is unavailable or elects a leader: an interrupted copy continues when run again. */
const patienceMs = 6_000;
/** An append without an answer is sent again while there is patience; it must not use all of it. */
const appendMs = 2_500;

/** @throws Error when the connection string does not mean what it says */
export const openRawLog = (url: string, patience = patienceMs): RawLog => {
  checkConnectionString(url);
  const esdb = openClient(url);
  const patiently = async <T>(what: string, signal: AbortSignal, once: () => Promise<T>): Promise<T> => {
    const [backoff, started] = [makeBackoff(100, 2_000), performance.now()];
    for (;;)
      try {
        return await once();
      } catch (cause) {
        const left = started + patience - performance.now();
        const isOver = left <= 0 || statusOf(cause) !== undefined;
        if (isOver || signal.aborted)
          throw new EventStoreUnavailable(`${what}: ${describeError(cause)}`, { cause });
        await pause(Math.min(backoff.next(), left), signal); // to the last moment, and no longer
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
    close: () => dispose(esdb, 1_000),
  };
};

/** A page begins with the last event of the previous page. */
const isAt = ({ position }: RawEvent, from: Position | null): boolean =>
  from !== null && comparePositions(position, from) <= 0;

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
