import { expect, onTestFinished, test } from 'vitest';
import { toConnection } from '../../../src/kafka/kafkajs/connection.ts';
import { makeKafkaTopics } from '../../../src/kafka/kafkajs/topics.ts';
import { readConfig } from '../../../src/config/config.ts';
import { runGrantbook } from '../../cli/run-grantbook.ts';
import { addon } from '../../projections/follow/a-story.ts';
import { eventually } from '../../support/eventually.ts';
import { newName, testClient } from '../../support/kafka-broker/test-client.ts';
import { brokers, describeWithBroker } from '../../support/kafka-broker/with-broker.ts';
import { startRelayScene } from './relay/scene.ts';
import { watchedLogger } from '../../support/trouble/watched-lines.ts';

const never = new AbortController().signal;

const openScene = async () => {
  const scene = await startRelayScene(brokers());
  onTestFinished(() => scene.close());
  const { topics, databaseUrl, eventStoreUrl } = scene.ground;
  const env = {
    KAFKA_BROKERS: brokers().join(','),
    KAFKA_GROUP: newName('group'),
    KAFKA_PARTITIONS: '3',
    KAFKA_TOPIC_ACTIVATIONS: topics.out.activations,
    KAFKA_TOPIC_GRANTS: topics.out.grants,
    KAFKA_TOPIC_ADDONS: topics.out.addons,
    KAFKA_TOPIC_PROFILES: topics.in.profiles,
    KAFKA_TOPIC_RESERVATIONS: topics.in.reservations,
    KAFKA_TOPIC_ACCESS_RIGHTS: topics.in.accessRights,
    KAFKA_TOPIC_DEAD_LETTER: topics.deadLetter,
  };
  const servers = { databaseUrl, eventStoreUrl, baseUrl: null, close: () => Promise.resolve() };
  const openServers = () => Promise.resolve(servers);
  const status = (...args: string[]) => runGrantbook(['kafka', 'status', ...args], { env, openServers });
  return { ...scene, topics, env, status };
};

describeWithBroker('grantbook kafka status', () => {
  test('says what is missing, how far the relay and the ingest are, and what waits among the dead letters', async () => {
    const { store, topics, env, relay, status, append } = await openScene();
    await append([addon('A1'), addon('A2')]);
    const first = await status('--json');
    expect(first.exitCode).toBe(1);
    const { relay: before, topics: found, ingest } = first.json as Record<string, Record<string, unknown>>;
    expect(found).toContainEqual(expect.objectContaining({ name: topics.in.profiles, state: 'missing' }));
    expect(before).toMatchObject({ checkpoint: null, behind_is_all: true, leader: null });
    expect(first.json['attention']).toEqual(
      expect.arrayContaining([
        { about: 'topic', found: expect.stringContaining(topics.in.profiles) as unknown },
        { about: 'relay', found: expect.stringContaining('no instance publishes') as unknown },
        { about: 'ingest', found: expect.stringContaining(env.KAFKA_GROUP) as unknown },
      ]),
    );
    expect(before?.['behind']).toBe(2);
    expect(before?.['oldest_age']).toEqual(expect.any(Number));
    expect(ingest).toMatchObject({ group: env.KAFKA_GROUP, members: 0, partitions: [], dead_letters: null });

    const { kafka } = readConfig(env);
    if (kafka === null) throw new Error('there is Kafka');
    const connection = toConnection(kafka, watchedLogger());
    await makeKafkaTopics({ connection, config: kafka, grantSeconds: 60 }).ensure();
    const client = testClient(connection);
    const to = (topic: string, key: string) => ({ topic, key, value: '{}', headers: {} });
    await client.publish(
      ['a', 'b', 'c', 'd'].map((key) => to(topics.in.profiles, key)),
      never,
    );
    await client.publish([to(topics.deadLetter, 'x')], never);
    let left = 2;
    client.consume({
      group: env.KAFKA_GROUP,
      topics: Object.values(topics.in),
      batchSize: 1,
      handle: () => (left-- > 0 ? Promise.resolve() : Promise.reject(new Error('not now'))),
    });
    await relay().caughtUp;
    await eventually(async () => {
      const later = await status('--json');
      expect(later.exitCode).toBe(0);
      expect(later.json).toMatchObject({
        relay: { checkpoint: expect.stringMatching(/^\d+\/\d+$/) as unknown, behind: 0, oldest_age: null },
        ingest: { state: 'Stable', members: 1, lag: 2, dead_letters: 1 },
      });
    }, 500);
    const text = await status();
    const [attention = '', rest = ''] = text.stdout.split('\n\n');
    expect(attention).toMatch(/^Needs attention:\n/);
    expect(attention).toContain('\n  ingest: 2 messages behind\n');
    expect(attention).toContain('\n  dead-letters: 1 not resent: grantbook kafka dead-letters list');
    expect(attention).not.toContain('relay');
    expect(rest).toContain(topics.in.profiles);
    expect(text.stdout).toContain('Relay: everything in the log is published.');
    expect(text.stdout).toContain(`Ingest: group ${env.KAFKA_GROUP} Stable, 1 member, 2 messages behind.`);
    expect(text.stdout).toContain('Dead letters: 1.');
    await store.head();
  });
});

test.each([
  { env: {}, says: 'KAFKA_BROKERS is not set: this installation has no Kafka' },
  { env: { KAFKA_BROKERS: '127.0.0.1:9' }, says: 'ECONNREFUSED' },
])('grantbook kafka status exits with 1 and names KAFKA_BROKERS: $says', async ({ env, says }) => {
  const ran = await runGrantbook(['kafka', 'status', '--json'], { env });
  expect(ran.exitCode).toBe(1);
  expect(ran.json).toMatchObject({
    error: {
      code: 'not-reached',
      setting: 'KAFKA_BROKERS',
      message: expect.stringContaining(says) as unknown,
    },
  });
});
