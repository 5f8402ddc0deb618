import { Kafka, logLevel, Partitioners, type Message } from 'kafkajs';
import { pino } from 'pino';
import { startRelay } from '../../src/reactions/relay.ts';
import type { KafkaClient, MessageToPublish } from '../../src/kafka/kafka-client.ts';
import { connectKafka } from '../../src/kafka/kafkajs/connect-kafka.ts';
import { defaultTopicNames } from '../../src/kafka/topics.ts';
import { makePipelinedReader } from '../../src/projections/database/pipelined-reader.ts';
import type { Stage } from '../revocation/stage.ts';
import type { Pool } from 'pg';

export type Rates = {
  /** Messages per second. */
  readonly relay: number;
  readonly bare: number;
  /** The relay without the broker: reading the log, and creating messages. */
  readonly unsent: number;
  readonly messages: number;
};

const logger = pino({ level: 'warn' });
const context = {
  source: 'https://grantbook.example',
  baseUrl: 'https://grantbook.example',
  topics: defaultTopicNames,
};

/** Relays all events of the log, and publishes the same messages with the library alone, in the same process. */
export const relayRates = async (stage: Stage, pool: Pool, brokers: string): Promise<Rates> => {
  const captured: MessageToPublish[] = [];
  const client = connectKafka({ brokers: [brokers], tls: null, sasl: null, clientId: 'bench', logger });
  try {
    await relayAll(stage, pool, client); // warm-up: a running process has compiled its code already
    const keep = (messages: readonly MessageToPublish[]) => Promise.resolve(void captured.push(...messages));
    const unsent = await relayAll(stage, pool, { publish: keep });
    await sendBare(captured, brokers);
    const before = await sendBare(captured, brokers);
    const relay = await relayAll(stage, pool, client);
    const after = await sendBare(captured, brokers);
    const messages = captured.length;
    return {
      messages,
      relay: messages / relay,
      unsent: messages / unsent,
      bare: messages / ((before + after) / 2),
    };
  } finally {
    await client.close();
  }
};

/** From the first event of the log. @returns the seconds */
const relayAll = async (stage: Stage, pool: Pool, kafka: Pick<KafkaClient, 'publish'>): Promise<number> => {
  const { databaseUrl, core } = stage;
  await pool.query(`delete from checkpoints where name = 'kafka-relay'`);
  const reader = makePipelinedReader({ databaseUrl, logger });
  const began = performance.now();
  const relay = startRelay({ databaseUrl, store: core.store, reader, kafka, context, logger });
  await relay.caughtUp;
  const seconds = (performance.now() - began) / 1000;
  await relay.stop();
  await reader.close();
  return seconds;
};

const batch = 1_000;

const sendBare = async (messages: readonly MessageToPublish[], brokers: string): Promise<number> => {
  const kafka = new Kafka({ brokers: [brokers], logLevel: logLevel.NOTHING });
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  const began = performance.now();
  for (let next = 0; next < messages.length; next += batch)
    await producer.sendBatch({ acks: -1, topicMessages: byTopic(messages.slice(next, next + batch)) });
  const seconds = (performance.now() - began) / 1000;
  await producer.disconnect();
  return seconds;
};

const byTopic = (messages: readonly MessageToPublish[]) =>
  Object.values(defaultTopicNames.out).map((topic) => ({
    topic,
    messages: messages.filter((message) => message.topic === topic) as unknown as Message[],
  }));
