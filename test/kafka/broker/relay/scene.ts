import { randomUUID } from 'node:crypto';
import type { RecordedEvent, EventStore, LogSubscriptions } from '../../../../src/eventstore/event-store.ts';
import type { TopicNames } from '../../../../src/kafka/topics.ts';
import { publishedTypes } from '../../../../src/kafka/contract/decisions.ts';
import { migratedDatabase } from '../../../support/servers/databases.ts';
import { makeTopics } from '../../../support/kafka-broker/test-client.ts';
import { testEventStore } from '../../../support/servers/test-event-store.ts';
import type { Told } from '../../../projections/follow/a-story.ts';
import { keptOnce } from '../../relay/seen-by-a-reader.ts';
import { type ByTopicAndKey, expectedOf, idsByTopicAndKey } from './expected.ts';
import { type Found, readToTheEnd } from './read-to-the-end.ts';
import { openRelay, type OpenRelay, type OpenRelayOptions, type RelayGround } from './open-relay.ts';

export const topicsOfItsOwn = (): TopicNames => {
  const prefix = `t${randomUUID().slice(0, 8)}`;
  return {
    out: { activations: `${prefix}.activations`, grants: `${prefix}.grants`, addons: `${prefix}.addons` },
    in: { profiles: `${prefix}.p`, reservations: `${prefix}.r`, accessRights: `${prefix}.a` },
    deadLetter: `${prefix}.d`,
  };
};

/** Everything of these types in the log, in its order. */
export const eventsIn = async (
  log: LogSubscriptions,
  eventTypes: Parameters<LogSubscriptions['subscribe']>[0]['eventTypes'],
): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  const leaving = new AbortController();
  for await (const message of log.subscribe({ after: null, eventTypes, signal: leaving.signal })) {
    if (message.kind === 'event') events.push(message.event);
    if (message.kind === 'caught-up') break;
  }
  leaving.abort();
  return events;
};

export type RelayScene = {
  readonly ground: RelayGround;
  readonly store: EventStore & LogSubscriptions;
  /** Writes these to the log, one after the other. */
  readonly append: (story: readonly Told[]) => Promise<void>;
  /** Starts one that the scene stops at its end. */
  readonly relay: (more?: OpenRelayOptions) => OpenRelay;
  /** What everybody can read by now. */
  readonly read: () => Promise<readonly Found[]>;
  /** What a reader that keeps each id once must find by now, and what it finds. */
  readonly compare: () => Promise<{
    readonly log: ByTopicAndKey;
    readonly found: ByTopicAndKey;
    readonly copies: number;
  }>;
  close(): Promise<void>;
};

/** A log over the wire, a database, and topics of its own on a broker. */
export const startRelayScene = async (brokers: readonly string[]): Promise<RelayScene> => {
  const [store, database] = await Promise.all([testEventStore(), migratedDatabase()]);
  const topics = topicsOfItsOwn();
  const ground = { databaseUrl: database.url, eventStoreUrl: store.node.url, brokers, topics };
  const names = Object.values(topics.out);
  await makeTopics(names, { partitions: 3 }, brokers);
  const revisions = new Map<string, bigint>();
  const running: OpenRelay[] = [];
  const read = () => readToTheEnd(brokers, names);
  return {
    ground,
    store,
    read,
    async append(story) {
      for (const { stream, event } of story) {
        const expected = revisions.get(stream) ?? 'no-stream';
        const appended = await store.append(stream, expected, [{ event }]);
        if (!appended.ok) throw new Error(`${stream} is elsewhere`);
        revisions.set(stream, appended.revision);
      }
    },
    relay(more) {
      const relay = openRelay(ground, more);
      running.push(relay);
      return relay;
    },
    async compare() {
      const events = await eventsIn(store, publishedTypes);
      const messages = await read();
      return {
        log: expectedOf(events, topics),
        found: idsByTopicAndKey(keptOnce(messages)),
        copies: messages.length,
      };
    },
    async close() {
      await Promise.all(running.map((relay) => relay.stop()));
      await store.close();
      await database.drop();
    },
  };
};
