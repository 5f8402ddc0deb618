import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type * as gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import type * as sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import { type ChannelCredentials, credentials, Metadata } from '@grpc/grpc-js';
import { fileOption, readConnectionString } from './connection-string.ts';

// The client's own message classes: a second copy of them in one process breaks both. At run time they are reachable
// only in this way.
const load = createRequire(import.meta.url);
const { GossipClient } = load('@eventstore/db-client/generated/gossip_grpc_pb.js') as typeof gossipGrpc;
const { MemberInfo } = load('@eventstore/db-client/generated/gossip_pb.js') as typeof gossipPb;
const { Empty } = load('@eventstore/db-client/generated/shared_pb.js') as typeof sharedPb;

/** A node's view of the cluster; addresses are `host:port`. */
export type Gossip = {
  /** The nodes that it considers alive and leading: two for a moment after a frozen leader has returned. */
  readonly leaders: readonly string[];
  readonly members: readonly string[];
};

export type AskGossip = {
  /** @throws the gRPC error, also when there is no answer within `ms` */
  ask(address: string, ms: number): Promise<Gossip>;
  close(): void;
};

/** Connections to nodes stay open between queries; a lost one is retried within half a second. */
const reconnecting = { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 500 };

export const makeAskGossip = (url: string): AskGossip => {
  const clients = new Map<string, InstanceType<typeof GossipClient>>();
  const secured = credentialsOf(url);
  const clientOf = (address: string) => {
    const client = clients.get(address) ?? new GossipClient(address, secured, reconnecting);
    clients.set(address, client);
    return client;
  };
  return {
    ask: (address, ms) =>
      new Promise((resolve, reject) => {
        clientOf(address).read(new Empty(), new Metadata(), { deadline: Date.now() + ms }, (error, info) =>
          error ? reject(error) : resolve(gossipIn(info)),
        );
      }),
    close() {
      for (const client of clients.values()) client.close();
    },
  };
};

const credentialsOf = (url: string): ChannelCredentials => {
  const { tls, options } = readConnectionString(url);
  if (!tls) return credentials.createInsecure();
  const [ca, key, cert] = ['tlscafile', 'userkeyfile', 'usercertfile'].map((name) => {
    const path = fileOption(options, name);
    return path === null ? null : readFileSync(path);
  });
  return credentials.createSsl(ca, key, cert);
};

const gossipIn = (info: gossipPb.ClusterInfo): Gossip => {
  const members = info.getMembersList().map((member) => {
    const at = member.getHttpEndPoint();
    const leads = member.getIsAlive() && member.getState() === MemberInfo.VNodeState.LEADER;
    return { address: `${at?.getAddress()}:${at?.getPort()}`, leads };
  });
  return {
    leaders: members.filter(({ leads }) => leads).map(({ address }) => address),
    members: members.map(({ address }) => address),
  };
};
