import { createRequire } from 'node:module';
import type { Producer, ProducerConfig } from 'kafkajs';
import { expect, test } from 'vitest';
import { makePublisher } from '../../../src/kafka/kafkajs/publisher.ts';
import type { Session } from '../../../src/kafka/kafkajs/session.ts';
import { watchedLogger } from '../../support/trouble/watched-lines.ts';

/** The library's own producer, on a cluster of ours. */
const load = createRequire(import.meta.url);
const createProducer = load('kafkajs/src/producer') as (needs: object) => Producer;

type TopicData = readonly {
  readonly topic: string;
  readonly partitions: readonly {
    readonly partition: number;
    readonly messages: readonly { key: string }[];
  }[];
}[];

/** Two brokers; the first one loses its partition to the second between a try of the library and its next. */
const makeCluster = () => {
  const written: { readonly nodeId: number; readonly partition: number; readonly key: string }[] = [];
  const leaders = new Map([
    [0, 1],
    [1, 2],
  ]);
  const brokers = new Map(
    [1, 2].map((nodeId) => [
      nodeId,
      {
        nodeId,
        initProducerId: () => Promise.resolve({ producerId: '7', producerEpoch: 0 }),
        produce: ({ topicData }: { readonly topicData: TopicData }) => {
          const parts = topicData.flatMap(({ partitions }) => partitions);
          if (parts.some(({ partition }) => leaders.get(partition) !== nodeId))
            return Promise.reject(
              Object.assign(new Error('moved'), { type: 'NOT_LEADER_FOR_PARTITION', retriable: true }),
            );
          for (const { partition, messages } of parts)
            written.push(...messages.map(({ key }) => ({ nodeId, partition, key })));
          const partitions = parts.map(({ partition }) => ({ partition, errorCode: 0, baseOffset: '0' }));
          return Promise.resolve({ topics: [{ topicName: 'grants', partitions }] });
        },
      },
    ]),
  );
  // What the client believes, until it asks again.
  let believed = new Map(leaders);
  const cluster = {
    retry: {},
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    isConnected: () => true,
    refreshMetadata: () => Promise.resolve(void (believed = new Map(leaders))),
    refreshMetadataIfNecessary: () => Promise.resolve(),
    addMultipleTargetTopics: () => Promise.resolve(),
    findControllerBroker: () => Promise.resolve(brokers.get(1)),
    findTopicPartitionMetadata: () => [{ partitionId: 0 }, { partitionId: 1 }],
    findLeaderForPartitions: (_topic: string, partitions: readonly string[]) => {
      const byLeader: Record<number, number[]> = {};
      for (const one of partitions.map(Number)) (byLeader[believed.get(one) ?? 0] ??= []).push(one);
      return byLeader;
    },
    findBroker: ({ nodeId }: { readonly nodeId: string }) => Promise.resolve(brokers.get(Number(nodeId))),
  };
  return { cluster, written, move: () => leaders.set(0, 2) };
};

const silent = {
  namespace: () => silent,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

test('a message whose partition moves to a broker that has answered already is not called sent', async () => {
  const { cluster, written, move } = makeCluster();
  const session = {
    kafka: { producer: (config: ProducerConfig) => createProducer({ ...config, cluster, logger: silent }) },
    end: () => undefined,
  } as unknown as Session;
  const connection = {
    brokers: [],
    tls: null,
    sasl: null,
    clientId: 'test',
    logger: watchedLogger(),
  };
  const publisher = makePublisher(connection, () => session);
  const keys = Array.from({ length: 20 }, (_, i) => `key-${i}`);
  const messages = keys.map((key) => ({ topic: 'grants', key, value: '{}', headers: {} }));
  const never = new AbortController().signal;

  move();
  await expect(publisher.publish(messages, never)).rejects.toThrow(
    'Kafka does not accept messages for grants: no leader has answered for grants/0',
  );
  await publisher.publish(messages, never);
  expect(new Set(written.map(({ key }) => key))).toEqual(new Set(keys));
  await publisher.close();
});
