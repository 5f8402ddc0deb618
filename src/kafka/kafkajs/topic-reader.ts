import { createRequire } from 'node:module';
import type { Kafka, KafkaMessage } from 'kafkajs';
import { withTimeout } from '../../common/with-timeout.ts';
import {
  KafkaUnavailable,
  type OffsetRange,
  type PartitionBounds,
  type TopicReader,
} from '../kafka-client.ts';
import { withAdmin, openSession, requestTimeoutMs } from './session.ts';
import { causeOf, typeOf, type KafkaConnection } from './connection.ts';
import { knowAllCodecs } from './codecs.ts';
import { received } from './process-batch.ts';

/** The library reads only as a member of a group: that needs rights to the group and seconds to join. So this uses parts of it (ADR 16). */
export const makeTopicReader = (connection: KafkaConnection): TopicReader => {
  knowAllCodecs();
  const session = openSession(connection);
  const cluster = clusterOf(session.kafka);

  const fetchFrom = async ({ topic, partition }: OffsetRange, offset: bigint): Promise<Batch> => {
    await cluster.connect();
    await cluster.addTargetTopic(topic);
    const [nodeId] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
    const broker = await cluster.findBroker({ nodeId });
    const fetched = await broker.fetch({
      replicaId: -1,
      isolationLevel: readCommitted,
      maxWaitTime: 100,
      topics: [{ topic, partitions: [{ partition, fetchOffset: String(offset), maxBytes: batchBytes }] }],
    });
    const found = fetched.responses[0]?.partitions[0];
    if (found === undefined) throw new Error(`the broker did not answer for ${topic}/${partition}`);
    return new BatchOf(topic, String(offset), found);
  };

  /** Another broker may lead the partition since the metadata were read. */
  const fetchPatiently = async (range: OffsetRange, offset: bigint): Promise<Batch> => {
    try {
      return await fetchFrom(range, offset);
    } catch {
      await cluster.connect();
      await cluster.refreshMetadata();
      return fetchFrom(range, offset);
    }
  };

  return {
    bounds: (topic) => readBounds(connection, topic),
    async *read(range) {
      for (let next = range.from; next < range.until;) {
        const batch = await withTimeout(2 * requestTimeoutMs, fetchPatiently(range, next)).catch(
          (cause: unknown) => {
            throw new KafkaUnavailable(`Kafka cannot be read: ${causeOf(cause)}`, { cause });
          },
        );
        for (const message of batch.messages) {
          const one = received(message);
          if (one.offset < range.until) yield one;
        }
        const after = BigInt(batch.lastOffset()) + 1n;
        if (after <= next) return;
        next = after;
      }
    },
    close: () => session.end(),
  };
};

/** By partition, in order; null when the topic does not exist. @throws KafkaUnavailable */
export const readBounds = async (
  connection: KafkaConnection,
  topic: string,
): Promise<readonly PartitionBounds[] | null> => {
  try {
    const offsets = await withAdmin(connection, async (admin) => {
      await admin.fetchTopicMetadata({ topics: [topic] });
      return admin.fetchTopicOffsets(topic);
    });
    return offsets
      .map(({ partition, low, high }) => ({ partition, first: BigInt(low), end: BigInt(high) }))
      .toSorted((a, b) => a.partition - b.partition);
  } catch (error) {
    if (typeOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION') return null;
    throw error;
  }
};

const readCommitted = 1;
/** A larger batch of a producer comes whole. */
const batchBytes = 1024 * 1024;

/** `lastOffset` is beyond what a transaction or compaction left out; at the end of the partition, its last offset. */
type Batch = { readonly messages: readonly KafkaMessage[]; lastOffset(): string };

type Fetch = {
  readonly replicaId: number;
  readonly isolationLevel: number;
  readonly maxWaitTime: number;
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly fetchOffset: string;
      readonly maxBytes: number;
    }[];
  }[];
};

type Broker = {
  fetch(asked: Fetch): Promise<{ readonly responses: readonly { readonly partitions: readonly object[] }[] }>;
};

type Cluster = {
  connect(): Promise<void>;
  addTargetTopic(topic: string): Promise<void>;
  refreshMetadata(): Promise<void>;
  findLeaderForPartitions(
    topic: string,
    partitions: readonly number[],
  ): Readonly<Record<string, readonly number[]>>;
  findBroker(which: { readonly nodeId: string | undefined }): Promise<Broker>;
};

const load = createRequire(import.meta.url);
const BatchOf = load('kafkajs/src/consumer/batch') as new (
  topic: string,
  fetchedOffset: string,
  partition: object,
) => Batch;

/** The library keeps its constructor of clusters under a symbol. */
const clusterOf = (kafka: Kafka): Cluster => {
  const symbol = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  const create = symbol && (kafka as unknown as Record<symbol, (options: object) => Cluster>)[symbol];
  if (create === undefined) throw new Error('this kafkajs has no cluster to read from');
  return create({ allowAutoTopicCreation: false, metadataMaxAge: 300_000 });
};
