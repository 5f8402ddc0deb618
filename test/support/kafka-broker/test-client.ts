import { randomUUID } from 'node:crypto';
import { Kafka, logLevel, type Admin } from 'kafkajs';
import { onTestFinished } from 'vitest';
import { connectKafka } from '../../../src/kafka/kafkajs/connect-kafka.ts';
import { waitForPartitionLeader } from '../../../src/kafka/kafkajs/topics.ts';
import type { KafkaConnection } from '../../../src/kafka/kafkajs/connection.ts';
import type { ConsumeOptions, KafkaClient, ReceivedMessage } from '../../../src/kafka/kafka-client.ts';
import { plainConnection } from './plain-connection.ts';
import { brokers } from './with-broker.ts';

/** A unique name. */
export const newName = (what: string): string => `${what}.${randomUUID()}`;

/** To the run's broker, or to another one. */
export const connectionTo = (addresses: readonly string[] = brokers()): KafkaConnection =>
  plainConnection(addresses);

/** A client of the adapter, closed at the end of the test. */
export const testClient = (connection: KafkaConnection = connectionTo()): KafkaClient => {
  const client = connectKafka(connection);
  onTestFinished(() => client.close());
  return client;
};

/** The admin client of the bare library, independent of the adapter. */
export const withAdmin = async <T>(
  use: (admin: Admin) => Promise<T>,
  addresses: readonly string[] = brokers(),
): Promise<T> => {
  const admin = new Kafka({ brokers: [...addresses], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
};

export type NewTopic = { readonly partitions?: number; readonly config?: Readonly<Record<string, string>> };

/** Creates topics with these names. */
export const makeTopics = (
  names: readonly string[],
  { partitions = 1, config = {} }: NewTopic = {},
  addresses?: readonly string[],
): Promise<void> => {
  const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
  return withAdmin(async (admin) => {
    await admin.createTopics({
      topics: names.map((topic) => ({
        topic,
        numPartitions: partitions,
        replicationFactor: 1,
        configEntries,
      })),
      waitForLeaders: false,
    });
    for (const topic of names) await waitForPartitionLeader(admin, topic);
  }, addresses);
};

/** A new topic on the run's broker, or on another one. */
export const newTopic = async (options?: NewTopic, addresses?: readonly string[]): Promise<string> => {
  const topic = newName('topic');
  await makeTopics([topic], options, addresses);
  return topic;
};

export type Read = ReceivedMessage & { readonly topic: string; readonly partition: number };

/** Everything that a separate consumer group receives, from the beginning; it keeps reading until the test ends. */
export const readAll = (
  client: KafkaClient,
  topics: readonly string[],
  options: Partial<ConsumeOptions> = {},
): readonly Read[] => {
  const all: Read[] = [];
  const consumption = client.consume({
    group: newName('group'),
    batchSize: 100,
    handle: ({ topic, partition, messages }) => {
      all.push(...messages.map((message) => ({ ...message, topic, partition })));
      return Promise.resolve();
    },
    ...options,
    topics,
  });
  onTestFinished(() => consumption.stop());
  return all;
};

export const text = (bytes: Buffer | null): string | null => bytes && bytes.toString();
