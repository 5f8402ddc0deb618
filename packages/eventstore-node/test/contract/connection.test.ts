import {
  eventTypeFilter,
  persistentSubscriptionToStreamSettingsFromDefaults,
  START,
  UnknownError,
  UnsupportedError,
} from '@eventstore/db-client';
import { credentials, status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { gossip, GossipClient, shared } from '../../src/stubs.ts';
import { contract, embeddedOnly, newStream } from './contract.ts';
import { supportedMethods } from './raw.ts';
import { attempt, collect, happened, refusal } from './steps.ts';

const server = contract();
const address = (): string => new URL(server.url.replace('esdb:', 'http:')).host;

/** eventstoredb.md §1. */
describe('server features', () => {
  test('tell a version and the methods that the client chooses its path by, in lower case', async () => {
    const answer = await supportedMethods(server.url);
    expect(answer.getEventStoreServerVersion()).toMatch(/^\d+\.\d+\.\d+/);
    const methods = answer
      .getMethodsList()
      .filter((method) => method.getServiceName() === 'event_store.client.streams.streams')
      .map((method) => [method.getMethodName(), method.getFeaturesList()]);
    expect(Object.fromEntries(methods)).toMatchObject({
      read: ['position', 'events'],
      append: [],
      batchappend: ['deadline_duration'],
      delete: [],
      tombstone: [],
    });
  });
});

describe('gossip', () => {
  test('names one living leader and where it is reached', async () => {
    const client = new GossipClient(address(), credentials.createInsecure());
    const info = await new Promise<InstanceType<typeof gossip.ClusterInfo>>((resolve, reject) =>
      client.read(new shared.Empty(), (error, answer) => (error ? reject(error) : resolve(answer))),
    );
    client.close();
    const [member, ...others] = info.getMembersList();
    expect(others).toEqual([]);
    expect(member?.getIsAlive()).toBe(true);
    expect(member?.getState()).toBe(gossip.MemberInfo.VNodeState.LEADER);
    expect(member?.getHttpEndPoint()?.getPort()).toBe(Number(address().split(':')[1]));
  });

  test.each(['esdb+discover://HOST?tls=false', 'esdb://HOST,HOST?tls=false&nodePreference=leader'])(
    'lets the client find its server by %s',
    async (pattern) => {
      const client = server.connect(pattern.replaceAll('HOST', address()));
      expect(await attempt(client, newStream(), happened())).toBe('written 0');
    },
  );
});

describe('clients', () => {
  test('may be many, each with its own batch stream', async () => {
    const clients = Array.from({ length: 5 }, () => server.connect());
    const streams = clients.map(() => newStream());
    for (const [index, client] of clients.entries())
      expect(await attempt(client, streams[index] ?? '', happened())).toBe('written 0');
  });

  test('leave with everything they had open', async () => {
    const client = server.connect();
    const subscription = client.subscribeToAll({
      fromPosition: START,
      filter: eventTypeFilter({ prefixes: ['x'] }),
    });
    const reading = collect(subscription).catch((error: unknown) => error);
    await new Promise<void>((resolve) => subscription.once('confirmation', () => resolve()));
    await client.dispose();
    await reading;
    expect(await attempt(server.client, newStream(), happened())).toBe('written 0');
  });
});

/** eventstoredb.md §5, "Leave unimplemented". */
describe('what the node does not have', () => {
  test(
    'is answered UNIMPLEMENTED: persistent subscriptions to streams, projections',
    embeddedOnly,
    async () => {
      const persistent = server.client.createPersistentSubscriptionToStream(
        newStream(),
        'group',
        persistentSubscriptionToStreamSettingsFromDefaults(),
      );
      const projection = server.client.createProjection('p', 'fromAll()');
      for (const refused of [await refusal(persistent), await refusal(projection)]) {
        expect(refused).toBeInstanceOf(UnknownError);
        expect(refused).toMatchObject({ code: status.UNIMPLEMENTED });
      }
    },
  );

  test(
    'is not even asked for when it is not advertised: persistent subscriptions to the log',
    embeddedOnly,
    async () => {
      const listing = server.client.getPersistentSubscriptionToAllInfo('group');
      expect(await refusal(listing)).toBeInstanceOf(UnsupportedError);
    },
  );
});
