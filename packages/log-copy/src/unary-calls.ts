import { createRequire } from 'node:module';
import type { EventStoreDBClient } from '@eventstore/db-client';
import type * as sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type * as streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type * as streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { CallOptions, Metadata } from '@grpc/grpc-js';

/** The revision that a stream must have for an append. */
export type ExpectedRevision = bigint | 'no-stream';

// The client's own message classes: a second copy of them in one process breaks both. At run time they are reachable
// only in this way.
const load = createRequire(import.meta.url);
export const streams = load('@eventstore/db-client/generated/streams_pb.js') as typeof streamsPb;
const shared = load('@eventstore/db-client/generated/shared_pb.js') as typeof sharedPb;
const { StreamsClient } = load('@eventstore/db-client/generated/streams_grpc_pb.js') as typeof streamsGrpc;
export type Calls = InstanceType<typeof StreamsClient>;

/** Internals of the client: a connection to the leader, with user and password, re-established after a loss. */
type Insides = {
  execute<T>(client: typeof StreamsClient, name: string, action: (calls: Calls) => Promise<T>): Promise<T>;
  callArguments(
    base: { readonly requiresLeader: true },
    options: { readonly deadline: Date },
  ): [Metadata, CallOptions];
};

/** Time limit of one call. */
const callMs = 20_000;

/** A call of the client's connection, with its user and password. */
export const callStreams = <T>(
  esdb: EventStoreDBClient,
  name: string,
  action: (calls: Calls, args: [Metadata, CallOptions]) => Promise<T>,
  ms = callMs,
): Promise<T> => {
  const insides = esdb as unknown as Insides;
  return insides.execute(StreamsClient, name, (calls) =>
    action(calls, insides.callArguments({ requiresLeader: true }, { deadline: new Date(Date.now() + ms) })),
  );
};

export const nothing = () => new shared.Empty();

export const json = 'application/json';

/** An event in its stored bytes. */
export type EventToSend = {
  readonly id: string;
  readonly type: string;
  /** Whether it is marked as JSON; not verified. */
  readonly isJson: boolean;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

/**
 * The unary call: it shares nothing with other appends of the process.
 * @returns false when the stream is at another revision
 */
export const unaryAppend = (
  esdb: EventStoreDBClient,
  stream: string,
  expected: ExpectedRevision,
  events: readonly EventToSend[],
  ms = callMs,
): Promise<boolean> =>
  callStreams(
    esdb,
    'append',
    (calls, args) =>
      new Promise((resolve, reject) => {
        const sink = calls.append(...args, (error, answer) => {
          if (error) reject(error);
          else if (answer?.hasSuccess()) resolve(true);
          else resolve(false);
        });
        sink.on('error', reject);
        sink.write(new streams.AppendReq().setOptions(headerOf(stream, expected)));
        for (const event of events) sink.write(new streams.AppendReq().setProposedMessage(proposed(event)));
        sink.end();
      }),
    ms,
  );

const headerOf = (stream: string, expected: ExpectedRevision) => {
  const options = new streams.AppendReq.Options().setStreamIdentifier(
    new shared.StreamIdentifier().setStreamName(Buffer.from(stream)),
  );
  if (expected === 'no-stream') return options.setNoStream(nothing());
  return options.setRevision(String(expected));
};

const proposed = ({ id, type, isJson, data, metadata }: EventToSend) => {
  const message = new streams.AppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(id))
    .setData(data)
    .setCustomMetadata(metadata);
  message
    .getMetadataMap()
    .set('type', type)
    .set('content-type', isJson ? json : 'application/octet-stream');
  return message;
};
