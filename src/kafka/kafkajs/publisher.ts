import { CompressionTypes, type Message, type Producer } from 'kafkajs';
import { withTimeout } from '../../common/with-timeout.ts';
import { KafkaUnavailable, MessageRefused, type MessageToPublish } from '../kafka-client.ts';
import { causeOf, typeOf, type KafkaConnection } from './connection.ts';
import { makePartitioner, type Partitioner } from './partitioner.ts';
import { openSession, type Session } from './session.ts';

/** How long pending work may take on close. */
const closeMs = 2_000;
/** Time limit for connecting, and for each request: a slower broker counts as unavailable. */
const usualTryMs = 12_000;
/** Below a broker's default limit of 1,048,588 bytes. */
const requestBytes = 1_000_000;
/** Errors about a message, which retries cannot solve. */
const refusals = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD', 'INVALID_TIMESTAMP'];

type Sending = { readonly session: Session; readonly producer: Producer; readonly placing: Partitioner };

/** One request at a time. A failed producer is discarded with its connections and sequence numbers: no late retry may follow ours. */
export const makePublisher = (connection: KafkaConnection, begin = openSession) => {
  const { tryMs = usualTryMs } = connection;
  let sending: Sending | null = null;
  let queue: Promise<unknown> = Promise.resolve();
  const closing = new AbortController();

  const throwAway = () => {
    sending?.session.end();
    sending = null;
  };
  const open = async (signal: AbortSignal): Promise<Sending> => {
    if (sending) return sending;
    const session = begin(connection);
    const placing = makePartitioner();
    const producer = session.kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: placing.createPartitioner,
      retry: { retries: 1 },
    });
    sending = { session, producer, placing };
    await withTimeout(tryMs, producer.connect(), signal);
    return sending;
  };
  const request = async (messages: readonly MessageToPublish[], signal: AbortSignal): Promise<void> => {
    try {
      const { producer, placing } = await open(signal);
      const topicMessages = byTopic(messages);
      const sent = producer.sendBatch({
        acks: -1,
        timeout: tryMs,
        compression: CompressionTypes.None,
        topicMessages,
      });
      const left = placing.unanswered(topicMessages, await withTimeout(tryMs, sent, signal));
      if (left.length > 0) throw new Error(`no leader has answered for ${left.join(', ')}`);
    } catch (error) {
      throwAway();
      throw error;
    }
  };
  /** A refused request is halved until the refused message is found. */
  const send = async (messages: readonly MessageToPublish[], signal: AbortSignal): Promise<void> => {
    for (const chunk of chunksOf(messages, requestBytes)) {
      try {
        await request(chunk, signal);
      } catch (error) {
        if (!refusals.includes(typeOf(error) ?? '')) throw unavailable(error, chunk);
        if (chunk.length === 1) throw refused(error, chunk[0] as MessageToPublish);
        const half = Math.ceil(chunk.length / 2);
        await send(chunk.slice(0, half), signal);
        await send(chunk.slice(half), signal);
      }
    }
  };
  return {
    publish: (messages: readonly MessageToPublish[], signal: AbortSignal) => {
      const turn = queue.then(() =>
        withAnySignal([signal, closing.signal], (either) => {
          if (either.aborted) throw new KafkaUnavailable('stopping: no more messages are sent');
          return send(messages, either);
        }),
      );
      queue = turn.catch(() => undefined);
      return turn;
    },
    close: async () => {
      await withTimeout(closeMs, queue).catch(() => undefined);
      closing.abort();
      throwAway();
    },
  };
};

const byTopic = (messages: readonly MessageToPublish[]) => {
  const topics = new Map<string, Message[]>();
  for (const { topic, key, value, headers } of messages) {
    const message = { key, value, headers: headers as NonNullable<Message['headers']> };
    const others = topics.get(topic);
    if (others) others.push(message);
    else topics.set(topic, [message]);
  }
  return [...topics].map(([topic, those]) => ({ topic, messages: those }));
};

const unavailable = (error: unknown, chunk: readonly MessageToPublish[]): KafkaUnavailable => {
  const topics = [...new Set(chunk.map(({ topic }) => topic))].join(', ');
  return new KafkaUnavailable(`Kafka does not accept messages for ${topics}: ${causeOf(error)}`, {
    cause: error,
  });
};

const refused = (error: unknown, message: MessageToPublish): MessageRefused =>
  new MessageRefused(
    `Kafka refuses a message of ${sizeOf(message)} bytes for ${message.topic}: ${causeOf(error)}`,
    { cause: error },
  );

/**
 * Passes `use` a signal that is aborted when any of these is. AbortSignal.any is not used: on Node 20 each call leaks
 * memory in the long-lived source signals, and this process runs for weeks.
 */
export const withAnySignal = async <T>(
  signals: readonly AbortSignal[],
  use: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const either = new AbortController();
  const abort = () => either.abort();
  for (const signal of signals) signal.addEventListener('abort', abort);
  if (signals.some(({ aborted }) => aborted)) abort();
  try {
    return await use(either.signal);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  }
};

/** Splits messages, in order, into requests of at most `maxBytes`; a larger message gets its own. */
const chunksOf = (
  messages: readonly MessageToPublish[],
  maxBytes: number,
): readonly (readonly MessageToPublish[])[] => {
  const chunks: MessageToPublish[][] = [];
  let left = 0;
  for (const message of messages) {
    const size = sizeOf(message);
    const last = chunks.at(-1);
    if (last && size <= left) {
      last.push(message);
      left -= size;
    } else {
      chunks.push([message]);
      left = maxBytes - size;
    }
  }
  return chunks;
};

/** An upper estimate of its size in a record batch: it counts four bytes for each length, more than the format uses. */
const sizeOf = ({ key, value, headers }: MessageToPublish): number => {
  let size = 32 + bytes(key) + bytes(value);
  for (const [name, values] of Object.entries(headers)) {
    for (const one of Array.isArray(values) ? values : [values])
      size += 8 + bytes(name) + bytes(one as Value);
  }
  return size;
};

type Value = string | Buffer | null;

const bytes = (value: Value): number => (value === null ? 0 : Buffer.byteLength(value));
