import { randomUUID } from 'node:crypto';
import { credentials } from '@grpc/grpc-js';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll } from 'vitest';
import { StreamsClient } from '../../src/stubs.ts';
import type { EmbeddedNode, NodeOptions } from '../../src/start-node.ts';
import { startTestNode } from '../support/test-node.ts';
import { supportedMethods } from './raw.ts';

/** Set it to run the same suite against a real, insecure, single server. */
const realServer = process.env['EVENTSTORE_URL'];

/**
 * Marks a test of what only our node does, or only it can be made to do: `test(name, embeddedOnly, …)`. Skipped,
 * visibly, against a real server.
 */
export const embeddedOnly = { skip: realServer !== undefined };

/** What the server under test says it is: `24.10.5`. Its first number tells what it does where versions differ. */
export const majorVersion = async (url: string): Promise<number> =>
  Number.parseInt((await supportedMethods(url)).getEventStoreServerVersion(), 10);

export type Contract = {
  readonly client: EventStoreDBClient;
  /** Raw calls, for what the client cannot express. */
  readonly raw: InstanceType<typeof StreamsClient>;
  readonly url: string;
  /** @throws when the suite runs against a real server */
  readonly node: EmbeddedNode;
  /** A new client object over the same server. */
  connect(url?: string): EventStoreDBClient;
};

/** The server under test and its clients, for the tests of one file. Others write to it meanwhile, as on a shared server (FX-106). */
export const contract = (): Contract => start(realServer, {}, amongOthers);

/** The embedded node, whatever the suite runs against: for tests of what only it can do. */
export const embedded = (options: Partial<NodeOptions> = {}): Contract => start(undefined, options);

const writes: ReadonlySet<unknown> = new Set<keyof EventStoreDBClient>([
  'appendToStream',
  'deleteStream',
  'setStreamMetadata',
  'tombstoneStream',
]);

/** After each write of a test comes one of somebody else, before its answer. */
const amongOthers = (client: EventStoreDBClient): EventStoreDBClient => {
  const other = newStream('other');
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (!writes.has(name)) return value.bind(target) as unknown;
      return async (...given: unknown[]): Promise<unknown> => {
        const written: unknown = await value.apply(target, given);
        await target.appendToStream(other, jsonEvent({ type: 'WrittenByOthers', data: {} }));
        return written;
      };
    },
  });
};

const start = (
  external: string | undefined,
  options: Partial<NodeOptions> = {},
  place = (client: EventStoreDBClient) => client,
): Contract => {
  let node: EmbeddedNode | undefined;
  let client: EventStoreDBClient | undefined;
  let raw: InstanceType<typeof StreamsClient> | undefined;
  const others: EventStoreDBClient[] = [];
  const url = (): string => external ?? given(node).url;
  beforeAll(async () => {
    if (external === undefined) node = await startTestNode(options);
    client = place(EventStoreDBClient.connectionString(url()));
    raw = new StreamsClient(new URL(url().replace('esdb:', 'http:')).host, credentials.createInsecure());
  });
  afterAll(async () => {
    raw?.close();
    for (const used of [client, ...others]) await used?.dispose();
    await node?.close();
  });
  return {
    get client() {
      return given(client);
    },
    get raw() {
      return given(raw);
    },
    get node() {
      return given(node);
    },
    get url() {
      return url();
    },
    connect: (to = url()) => {
      const other = place(EventStoreDBClient.connectionString(to));
      others.push(other);
      return other;
    },
  };
};

const given = <Thing>(thing: Thing | undefined): Thing => {
  if (thing === undefined) throw new Error('only there while the embedded node is under test');
  return thing;
};

/** A stream name that no other run has used. */
export const newStream = (category = 'contract'): string => `${category}-${randomUUID().replaceAll('-', '')}`;
