import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type * as gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import type * as sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import { type ChannelCredentials, credentials, Metadata } from '@grpc/grpc-js';
import { fileOption, readConnectionString } from './connection-string.ts';

// The very message classes of the client: a second copy in one process spoils both. Their names exist at run time in this form only.
const load = createRequire(import.meta.url);
const { GossipClient } = load('@eventstore/db-client/generated/gossip_grpc_pb.js') as typeof gossipGrpc;
const { MemberInfo } = load('@eventstore/db-client/generated/gossip_pb.js') as typeof gossipPb;
const { Empty } = load('@eventstore/db-client/generated/shared_pb.js') as typeof sharedPb;

/** What one node says of the cluster; addresses are `host:port`. */
export type Gossip = {
  /** Who leads, of those that it takes for alive; null while nobody does. */
  readonly leader: string | null;
  readonly members: readonly string[];
};

export type AskGossip = {
  /** @throws the gRPC error, also when there is no answer within `ms` */
  ask(address: string, ms: number): Promise<Gossip>;
  close(): void;
};

/** Connections to nodes stay open between two questions; one that is lost is tried again within half a second. */
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
    leader: members.find(({ leads }) => leads)?.address ?? null,
    members: members.map(({ address }) => address),
  };
};
