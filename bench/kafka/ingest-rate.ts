import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { pino } from 'pino';
import { organizationExists } from '../../src/commands/organizations/find-named-organization.ts';
import { startIngest } from '../../src/kafka/ingest/ingest.ts';
import type { ConsumeOptions } from '../../src/kafka/kafka-client.ts';
import { connectKafka } from '../../src/kafka/kafkajs/connect-kafka.ts';
import { defaultTopicNames } from '../../src/kafka/topics.ts';
import { startChild } from '../child.ts';
import { reservationLine } from '../import/reservations.ts';
import type { Load } from '../load.ts';
import type { Stage } from '../revocation/stage.ts';
import { done } from '../world.ts';

type IngestRates = {
  /** New records, in messages per second. */
  readonly first: number;
  /** The library alone, which discards the messages. */
  readonly bare: number;
  /** The event store's client alone, before and after. */
  readonly appends: number;
};

const logger = pino({ level: 'warn' });
const topic = defaultTopicNames.in.reservations;
const inFlight = 256;

/** Ingesting records from Kafka, compared with the consumer alone and the appends alone; no projector runs. */
export const ingestRates = async (
  stage: Stage,
  brokers: string,
  { records, seconds }: { readonly records: number; readonly seconds: number },
): Promise<IngestRates> => {
  const { organizationId } = done(await stage.core.commands.createOrganization({ name: 'Ingest' }));
  await send(brokers, organizationId, records);
  await readBare(brokers, records);
  const bare = records / (await readBare(brokers, records));
  const before = await rawAppends(stage, seconds);
  const first = records / (await ingestAll(stage, brokers, records));
  const after = await rawAppends(stage, seconds);
  return { first, bare, appends: (before + after) / 2 };
};

const send = async (brokers: string, organizationId: string, records: number): Promise<void> => {
  const producer = new Kafka({ brokers: [brokers], logLevel: logLevel.NOTHING }).producer({
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  for (let from = 0; from < records; from += 1_000) {
    const messages = Array.from({ length: Math.min(1_000, records - from) }, (_, i) => {
      const line = reservationLine(from + i);
      return { key: `${from + i}`, value: line.replace('{', `{"organization_id":"${organizationId}",`) };
    });
    await producer.send({ topic, acks: -1, messages });
  }
  await producer.disconnect();
};

/** @returns the seconds from joining the group to the last message */
const readBare = async (brokers: string, records: number): Promise<number> => {
  const consumer = new Kafka({ brokers: [brokers], logLevel: logLevel.NOTHING }).consumer({
    groupId: `bare-${Date.now()}`,
    maxWaitTimeInMs: 500,
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  const { promise: finished, resolve: finish } = deferred();
  let [joined, read] = [0, 0];
  consumer.on(consumer.events.GROUP_JOIN, () => (joined = performance.now()));
  await consumer.run({
    partitionsConsumedConcurrently: 8,
    eachBatch: ({ batch }) => {
      read += batch.messages.length;
      if (read >= records) finish();
      return Promise.resolve();
    },
  });
  await finished;
  const seconds = (performance.now() - joined) / 1000;
  await consumer.disconnect();
  return seconds;
};

const rawAppends = async ({ eventStoreUrl }: Stage, seconds: number): Promise<number> => {
  const child = await startChild<Load>('raw-appends', eventStoreUrl, String(inFlight), String(seconds));
  await child.stop();
  return child.said.perSecond;
};

/** @returns the total seconds from the first batch to the last */
const ingestAll = async ({ core }: Stage, brokers: string, records: number): Promise<number> => {
  const client = connectKafka({ brokers: [brokers], tls: null, sasl: null, clientId: 'bench', logger });
  let [began, handled] = [0, 0];
  const { promise: finished, resolve: finish } = deferred();
  const consume = (options: ConsumeOptions) =>
    client.consume({
      ...options,
      handle: async (batch, signal) => {
        began ||= performance.now();
        await options.handle(batch, signal);
        handled += batch.messages.length;
        if (handled >= records) finish();
      },
    });
  const ingest = startIngest({
    client: { consume, publish: (messages, signal) => client.publish(messages, signal) },
    topics: defaultTopicNames,
    group: `bench-${Date.now()}`,
    commands: core.commands,
    organizationExists: (id) => organizationExists(core.store, id),
    store: core.store,
    now: () => Date.now(),
    logger,
  });
  await finished;
  const seconds = (performance.now() - began) / 1000;
  await client.close();
  const { messages } = ingest.status();
  if (messages.find(({ outcome }) => outcome === 'added')?.messages !== records)
    throw new Error(`the ingest did something else: ${JSON.stringify(messages)}`);
  return seconds;
};

const deferred = () => {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
};
