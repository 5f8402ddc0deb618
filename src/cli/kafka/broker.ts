import { pino } from 'pino';
import type { Config } from '../../config/config.ts';
import { connectKafka } from '../../kafka/kafkajs/connect-kafka.ts';
import { toConnection } from '../../kafka/kafkajs/connection.ts';
import { describeGroup } from '../../kafka/kafkajs/describe-group.ts';
import { makeTopicReader, readBounds } from '../../kafka/kafkajs/topic-reader.ts';
import { makeKafkaTopics } from '../../kafka/kafkajs/topics.ts';
import type { TopicReport } from '../../kafka/topics.ts';
import type { BrokerFacts } from './kafka-facts.ts';

// Imported only where KAFKA_BROKERS is set, because kafkajs is a fifth of all files that a command would load.

/** @throws KafkaUnavailable */
export const checkBroker = async (
  kafka: NonNullable<Config['kafka']>,
  { refreshAbsolute }: Config['lifetimes'],
): Promise<BrokerFacts> => {
  const connection = toConnection(kafka, pino({ level: 'silent' }));
  const { in: into, deadLetter } = kafka.topics;
  const topics = await makeKafkaTopics({
    connection,
    config: kafka,
    grantSeconds: refreshAbsolute,
  }).inspect();
  const isThere = (name: string) => topics.some((topic) => topic.name === name && topic.state !== 'missing');
  const ours = Object.values(into).filter(isThere);
  const group = await describeGroup(connection, kafka.group, ours);
  const kept = isThere(deadLetter) ? await readBounds(connection, deadLetter) : null;
  return {
    brokers: kafka.brokers,
    topics,
    ingest: { name: kafka.group, ...group },
    deadLetters: { topic: deadLetter, kept },
  };
};

/** @throws KafkaUnavailable */
export const ensureTopics = (
  kafka: NonNullable<Config['kafka']>,
  { refreshAbsolute }: Config['lifetimes'],
): Promise<readonly TopicReport[]> => {
  const connection = toConnection(kafka, pino({ level: 'silent' }));
  return makeKafkaTopics({ connection, config: kafka, grantSeconds: refreshAbsolute }).ensure();
};

export const openLetters = (kafka: NonNullable<Config['kafka']>) => {
  const connection = toConnection(kafka, pino({ level: 'silent' }));
  const reader = makeTopicReader(connection);
  const client = connectKafka(connection);
  const close = async () => {
    reader.close();
    await client.close();
  };
  return { reader, client, close };
};
