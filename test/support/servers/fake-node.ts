import type { ServerDuplexStream, ServerWritableStream } from '@grpc/grpc-js';
import { clusterOf } from '../../../packages/eventstore-node/src/discovery.ts';
import type { Member } from '../../../packages/eventstore-node/src/faults.ts';
import { bindServer, makeServer, stopServer } from '../../../packages/eventstore-node/src/server.ts';
import {
  type BatchAppendReq,
  features,
  type ReadReq,
  streams,
} from '../../../packages/eventstore-node/src/stubs.ts';

/** Answers are bytes: the node's server writes answers that its services have encoded. */
export type BatchCall = ServerDuplexStream<BatchAppendReq, Buffer>;
export type ReadCall = ServerWritableStream<ReadReq, Buffer>;

type Refusing = (call: unknown, answer: (error: object) => void) => void;

type Behaviour = {
  readonly batchAppend?: (call: BatchCall) => void;
  readonly read?: (call: ReadCall) => void;
  /** The members that it reports. Without it, no gossip. */
  readonly members?: () => readonly Member[];
  /** By default, any free one. */
  readonly port?: number;
  /** The unary append, by which rights are tested. */
  readonly append?: Refusing;
  readonly tombstone?: Refusing;
  /** Its certificate and key, in PEM; without them it does not use TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
};

/**
 * A server that advertises BatchAppend and behaves exactly as a test defines: for behaviour that no correct node has.
 */
export const startFakeNode = async ({ tls, members, port: wanted = 0, ...streamCalls }: Behaviour) => {
  const server = makeServer({
    streams: streamCalls,
    features: {
      getSupportedMethods: (_call: unknown, answer: (error: null, methods: unknown) => void) =>
        answer(null, supportedMethods()),
    },
    gossip: members
      ? {
          read: (_call: unknown, answer: (error: null, info: unknown) => void) =>
            answer(null, clusterOf(members())),
        }
      : {},
  });
  const encryption = tls && { certificate: tls.cert, key: tls.key };
  const port = await bindServer(server, { host: '127.0.0.1', port: wanted, ...encryption });
  return {
    port,
    url: `esdb://127.0.0.1:${port}?tls=${tls !== undefined}`,
    close: () => stopServer(server, 50),
  };
};

const supportedMethods = () => {
  const batchAppend = new features.SupportedMethod();
  batchAppend.setServiceName('event_store.client.streams.streams');
  batchAppend.setMethodName('batchappend');
  const methods = new features.SupportedMethods();
  methods.setEventStoreServerVersion('24.10.5');
  methods.addMethods(batchAppend);
  return methods;
};

/** A checkpoint or confirmation as bytes, the form that `makeServer` expects of read answers. */
export const confirmation = (): Buffer => {
  const confirmed = new streams.ReadResp.SubscriptionConfirmation();
  confirmed.setSubscriptionId('fake');
  const answer = new streams.ReadResp();
  answer.setConfirmation(confirmed);
  return Buffer.from(answer.serializeBinary());
};

export const checkpoint = (commit: bigint): Buffer => {
  const reached = new streams.ReadResp.Checkpoint();
  reached.setCommitPosition(commit.toString());
  reached.setPreparePosition(commit.toString());
  const answer = new streams.ReadResp();
  answer.setCheckpoint(reached);
  return Buffer.from(answer.serializeBinary());
};
