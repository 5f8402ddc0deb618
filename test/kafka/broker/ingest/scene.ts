import { randomUUID } from 'node:crypto';
import { expect, vi } from 'vitest';
import type { Core } from '../../../../src/compose/core.ts';
import { startLogWorkers, type LogWorkers } from '../../../../src/compose/log-workers.ts';
import type { RecordedEvent } from '../../../../src/eventstore/event-store.ts';
import type { MessageToPublish } from '../../../../src/kafka/kafka-client.ts';
import { makePipelinedReader } from '../../../../src/projections/database/pipelined-reader.ts';
import { patience } from '../../../support/patience.ts';
import { migratedDatabase } from '../../../support/servers/databases.ts';
import { brokers } from '../../../support/kafka-broker/with-broker.ts';
import { makeTopics, withAdmin } from '../../../support/kafka-broker/test-client.ts';
import { startTestNode } from '../../../support/servers/node.ts';
import { quietLogger } from '../../../support/quiet-logger.ts';
import { valueOf } from '../../../support/outcomes.ts';
import { connectTo, joinIngest, type Meeting, openCore } from './member.ts';

export type IngestScene = Awaited<ReturnType<typeof startIngestScene>>;

/** The client of the event store rejects what all clients of a process wait for when one breaks: tests side by side share one. */
export const startWorld = async () => {
  const node = await startTestNode();
  const database = await migratedDatabase();
  const core = await openCore({ databaseUrl: database.url, eventStoreUrl: node.url });
  return {
    node,
    database,
    core,
    close: async () => {
      await core.close();
      await database.drop();
      await node.close();
    },
  };
};

type Options = {
  /** Closed by whoever started it; without one, the scene has its own. */
  readonly world?: Awaited<ReturnType<typeof startWorld>>;
  readonly brokers?: readonly string[];
  readonly partitions?: number;
  /** What the members see instead of the event store itself. */
  readonly eventStoreThrough?: (url: string) => Promise<{ readonly url: string; close(): Promise<void> }>;
};

const recordTypes = [
  'ProfileRecorded',
  'ProfileRemoved',
  'ReservationRecorded',
  'ReservationRemoved',
  'AccessRightRecorded',
  'AccessRightRemoved',
] as const;

const never = new AbortController().signal;

/** A real event store and database, topics of its own on a real broker, and one organization. */
export const startIngestScene = async (options: Options = {}) => {
  const addresses = options.brokers ?? brokers();
  const closers: (() => Promise<unknown>)[] = [];
  const world = options.world ?? (await startWorld());
  if (!options.world) closers.push(() => world.close());
  const { node, database, core } = world;
  const wire = await options.eventStoreThrough?.(node.url);
  if (wire) closers.push(() => wire.close());
  const reader = makePipelinedReader({ databaseUrl: database.url, logger: quietLogger() });
  closers.push(() => reader.close());
  const client = connectTo(addresses);
  closers.push(() => client.close());
  const name = randomUUID();
  const meeting: Meeting = {
    stores: { databaseUrl: database.url, eventStoreUrl: wire?.url ?? node.url },
    brokers: addresses,
    topics: {
      in: {
        profiles: `profiles.${name}`,
        reservations: `reservations.${name}`,
        accessRights: `rights.${name}`,
      },
      deadLetter: `dead.${name}`,
    },
    group: `group.${name}`,
  };
  const inTopics = Object.values(meeting.topics.in);
  const topics = [...inTopics, meeting.topics.deadLetter];
  await makeTopics(topics, { partitions: options.partitions ?? 1 }, addresses);
  const { organizationId } = valueOf(await core.commands.createOrganization({ name: 'Harbour House' }));
  /** A member of its own in this process, with a client of its own. */
  const member = async (group = meeting.group) => {
    const own: Core = wire ? await openCore(meeting.stores) : core;
    const ownClient = connectTo(addresses);
    const ingest = joinIngest({ ...meeting, group }, own, ownClient);
    let left: Promise<void> | undefined;
    const leave = () =>
      (left ??= ingest.stop().then(async () => {
        await ownClient.close();
        if (wire) await own.close();
      }));
    closers.push(leave);
    return { status: ingest.status, counted: () => countsOf(ingest.status().messages), leave };
  };
  return {
    meeting,
    core,
    organizationId,
    member,
    /** Again, all of it, while the broker is not ready: which is what the port wants. */
    send: (messages: readonly MessageToPublish[]) =>
      vi.waitFor(() => client.publish(messages, never), waiting),
    profile: (id: string, version = 1): MessageToPublish => ({
      topic: meeting.topics.in.profiles,
      key: `${organizationId}.${id}`,
      value: JSON.stringify({
        id,
        version,
        organization_id: organizationId,
        name: `${id} ${version}`,
        email: 'a@b.c',
      }),
      headers: {},
    }),
    startWorkers: (): LogWorkers => {
      const workers = startLogWorkers(core);
      closers.push(() => workers.stop());
      return workers;
    },
    /** Messages that the group has not committed. */
    lag: (group = meeting.group) => lagOf(addresses, group, inTopics),
    /** How many records of the organization each list has. */
    listed: async () => {
      const counts: Record<string, number> = {};
      for (const list of ['profiles', 'reservations', 'access_rights']) {
        const text = `select count(*)::int as count from ${list} where organization_id = $1`;
        const [row] = await reader.query<{ count: number }>({ name: `count-${list}`, text }, [
          organizationId,
        ]);
        counts[list] = row?.count ?? 0;
      }
      return counts;
    },
    /** Everything that is in the topic now. */
    messagesOf: (topic: string) =>
      withAdmin(async (admin) => {
        const ends = await admin.fetchTopicOffsets(topic);
        return ends.reduce((sum, { high }) => sum + Number(high), 0);
      }, addresses),
    /** All events about records, in the log's order. */
    recorded: async (): Promise<readonly RecordedEvent[]> => {
      const events: RecordedEvent[] = [];
      const isOurs = ({ event: { data } }: RecordedEvent) =>
        'organizationId' in data && data.organizationId === organizationId;
      const reading = new AbortController();
      for await (const message of core.store.subscribe({
        after: null,
        eventTypes: recordTypes,
        signal: reading.signal,
      })) {
        if (message.kind === 'caught-up') break;
        if (message.kind === 'event' && isOurs(message.event)) events.push(message.event);
      }
      reading.abort();
      return events;
    },
    close: async () => {
      for (const closer of closers.splice(0).toReversed()) await closer();
    },
  };
};

const countsOf = (messages: readonly { readonly outcome: string; readonly messages: number }[]) => {
  const counts: Record<string, number> = {};
  for (const { outcome, messages: count } of messages) counts[outcome] = (counts[outcome] ?? 0) + count;
  return counts;
};

const lagOf = (addresses: readonly string[], group: string, topics: readonly string[]): Promise<number> =>
  withAdmin(async (admin) => {
    let lag = 0;
    const committed = await admin.fetchOffsets({ groupId: group, topics: [...topics] });
    for (const { topic, partitions } of committed)
      for (const { partition, high } of await admin.fetchTopicOffsets(topic)) {
        const offset = Number(partitions.find((each) => each.partition === partition)?.offset ?? -1);
        lag += Number(high) - Math.max(0, offset);
      }
    return lag;
  }, addresses);

export const waiting = { timeout: 3 * patience, interval: 50 };

/** Until the group has committed everything. */
export const untilRead = (scene: IngestScene, group?: string): Promise<void> =>
  vi.waitFor(async () => expect(await scene.lag(group)).toBe(0), waiting);

export const times = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

/** Versions of each record in the log's order. */
export const versionsOf = (events: readonly RecordedEvent[]): Readonly<Record<string, readonly number[]>> => {
  const versions: Record<string, number[]> = {};
  for (const { event } of events)
    if ('version' in event.data && 'id' in event.data)
      (versions[event.data.id] ??= []).push(event.data.version);
  return versions;
};
