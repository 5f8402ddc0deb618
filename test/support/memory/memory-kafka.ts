import { nextWrite } from '../log/next-write.ts';
import { pause } from '../../../src/common/backoff.ts';
import {
  type ConsumeOptions,
  type Consumption,
  type KafkaClient,
  MessageRefused,
  type MessageToPublish,
  type ReceivedMessage,
  type TopicReader,
} from '../../../src/kafka/kafka-client.ts';

type Options = {
  /** The broker's maximum size of a message, in bytes of key, value and headers. */
  readonly mostBytes?: number;
  /** Called before messages are written; its errors are passed to the publisher. */
  readonly beforePublish?: (messages: readonly MessageToPublish[]) => Promise<void> | void;
};

type Partition = { readonly topic: string; readonly partition: number; readonly messages: ReceivedMessage[] };

/**
 * The port to the broker in memory: one partition per topic, one member per group; offsets live as long as the object.
 */
export const memoryKafka = ({ mostBytes = Infinity, beforePublish }: Options = {}) => {
  const partitions = new Map<string, Partition>();
  const committed = new Map<string, bigint>();
  const removed = new Map<string, bigint>();
  const waiting = new Set<() => void>();
  const partitionOf = (topic: string): Partition => {
    const found = partitions.get(topic) ?? { topic, partition: 0, messages: [] };
    partitions.set(topic, found);
    return found;
  };
  const write = ({ topic, key, value, headers }: MessageToPublish): void => {
    const { messages } = partitionOf(topic);
    const pairs = Object.entries(headers).flatMap(([name, values]) =>
      [values].flat().map((one) => [name, bytesOf(one)] as const),
    );
    const offset = BigInt(messages.length);
    messages.push({ offset, key: bytesOrNull(key), value: bytesOrNull(value), headers: pairs, timestamp: 0 });
    for (const wake of waiting) wake();
  };
  const publish: KafkaClient['publish'] = async (messages, signal) => {
    signal.throwIfAborted();
    await beforePublish?.(messages);
    for (const message of messages) {
      if (bytesIn(message) > mostBytes) throw new MessageRefused('it is too large');
      write(message);
    }
  };
  const consume = (options: ConsumeOptions): Consumption => {
    const began = Date.now();
    const stopped = new AbortController();
    let state: 'reading' | 'stopped' = 'reading';
    let trouble: string | null = null;
    const committedOf = ({ topic }: Partition) => committed.get(`${options.group} ${topic}`) ?? 0n;
    const read = async (partition: Partition): Promise<void> => {
      while (!stopped.signal.aborted) {
        const from = Number(committedOf(partition));
        const messages = partition.messages.slice(from, from + options.batchSize);
        if (messages.length === 0) {
          await nextWrite(waiting, stopped.signal);
          continue;
        }
        const end = BigInt(partition.messages.length);
        try {
          const { topic, partition: number } = partition;
          await options.handle({ topic, partition: number, messages, end }, stopped.signal);
          committed.set(`${options.group} ${topic}`, BigInt(from + messages.length));
          trouble = null;
        } catch (error) {
          trouble = error instanceof Error ? error.name : 'not an error';
          await pause(1, stopped.signal);
        }
      }
    };
    const reading = Promise.all(options.topics.map(partitionOf).map(read));
    return {
      status: () => ({
        state,
        since: began,
        trouble,
        partitions: options.topics.map(partitionOf).map((partition) => ({
          topic: partition.topic,
          partition: partition.partition,
          committed: committedOf(partition),
          end: BigInt(partition.messages.length),
        })),
      }),
      stop: async () => {
        stopped.abort();
        await reading;
        state = 'stopped';
      },
    };
  };
  const reader: TopicReader = {
    bounds: (topic) => {
      const found = partitions.get(topic);
      const first = removed.get(topic) ?? 0n;
      return Promise.resolve(
        found ? [{ partition: found.partition, first, end: BigInt(found.messages.length) }] : null,
      );
    },
    // oxlint-disable-next-line typescript/require-await -- the port is asynchronous
    async *read({ topic, from, until }) {
      yield* partitionOf(topic).messages.slice(Number(from), Number(until));
    },
    close: () => undefined,
  };
  return {
    reader,
    /** Removes the oldest messages of a topic, as a retention does: the first that is kept has this offset. */
    keepFrom: (topic: string, offset: bigint): void => void removed.set(topic, offset),
    client: { publish, consume, close: () => Promise.resolve() } satisfies KafkaClient,
    /** Writes messages like an unrelated producer. */
    write,
    messages: (topic: string): readonly ReceivedMessage[] => partitionOf(topic).messages,
    /** Number of messages that the group has not committed. */
    lag: (group: string, topics: readonly string[]): bigint =>
      topics.reduce(
        (sum, topic) =>
          sum + BigInt(partitionOf(topic).messages.length) - (committed.get(`${group} ${topic}`) ?? 0n),
        0n,
      ),
  };
};

const bytesOf = (text: string | Buffer): Buffer => (typeof text === 'string' ? Buffer.from(text) : text);
const bytesOrNull = (text: string | Buffer | null): Buffer | null => (text === null ? null : bytesOf(text));

const bytesIn = ({ key, value, headers }: MessageToPublish): number =>
  [key, value, ...Object.entries(headers).flat(2)]
    .map((part) => (part === null ? 0 : bytesOf(part).length))
    .reduce((sum, length) => sum + length, 0);
