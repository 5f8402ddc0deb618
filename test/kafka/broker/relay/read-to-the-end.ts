import { Kafka, logLevel } from 'kafkajs';
import type { MessageToPublish } from '../../../../src/kafka/kafka-client.ts';
import { newName, withAdmin } from '../../../support/kafka-broker/test-client.ts';

export type Found = MessageToPublish & { readonly partition: number; readonly offset: bigint };

/** Everything that is in the topics now, each partition in its order, by the bare library. */
export const readToTheEnd = async (
  brokers: readonly string[],
  topics: readonly string[],
): Promise<readonly Found[]> => {
  const left = await withAdmin(async (admin) => {
    const ends = await Promise.all(topics.map((topic) => admin.fetchTopicOffsets(topic)));
    return new Map(
      ends.flatMap((partitions, index) =>
        partitions
          .filter(({ high, low }) => high !== low)
          .map(({ partition, high }) => [`${topics[index]}/${partition}`, BigInt(high)] as const),
      ),
    );
  }, brokers);
  const found: Found[] = [];
  if (left.size === 0) return found;
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: newName('reader'), maxWaitTimeInMs: 100 });
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      const eachMessage: Parameters<typeof consumer.run>[0] = {
        autoCommit: false,
        eachMessage: ({ topic, partition, message }) => {
          const offset = BigInt(message.offset);
          const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]);
          found.push({ topic, partition, offset, key: String(message.key), value: String(message.value), headers: Object.fromEntries(headers) as Found['headers'] }); // prettier-ignore
          if (left.get(`${topic}/${partition}`) === offset + 1n) left.delete(`${topic}/${partition}`);
          if (left.size === 0) resolve();
          return Promise.resolve();
        },
      };
      consumer.run(eachMessage).catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
  return found;
};
