import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type * as gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import type * as sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import { type ChannelCredentials, credentials, Metadata } from '@grpc/grpc-js';
import { fileOption, readConnectionString } from '../server/connection-string.ts';

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
  let files = filesOf(url);
  let secured = credentialsOf(files);
  /** The files are read again after a failure: a change of authority needs no restart. */
  const renew = (): void => {
    try {
      const now = filesOf(url);
      if (now === null || now.every((file, index) => same(file, files?.[index]))) return;
      [files, secured] = [now, credentialsOf(now)];
    } catch {
      return; // a file is being replaced: tried again after the next failure
    }
    for (const client of clients.values()) client.close();
    clients.clear();
  };
  const clientOf = (address: string) => {
    const client = clients.get(address) ?? new GossipClient(address, secured, reconnecting);
    clients.set(address, client);
    return client;
  };
  return {
    ask: (address, ms) =>
      new Promise((resolve, reject) => {
        clientOf(address).read(new Empty(), new Metadata(), { deadline: Date.now() + ms }, (error, info) => {
          if (!error) return resolve(gossipIn(info));
          renew();
          reject(error);
        });
      }),
    close() {
      for (const client of clients.values()) client.close();
    },
  };
};

type Files = readonly (Buffer | null)[];

/** Authority, key and certificate; null without TLS. @throws when one of them cannot be read */
const filesOf = (url: string): Files | null => {
  const { tls, options } = readConnectionString(url);
  if (!tls) return null;
  return ['tlscafile', 'userkeyfile', 'usercertfile'].map((name) => {
    const path = fileOption(options, name);
    return path === null ? null : readFileSync(path);
  });
};

const same = (a: Buffer | null, b: Buffer | null | undefined): boolean =>
  a === b || (!!a && !!b && a.equals(b));

const credentialsOf = (files: Files | null): ChannelCredentials =>
  files === null ? credentials.createInsecure() : credentials.createSsl(...files);

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
