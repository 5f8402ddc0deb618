import type { KafkaMessage } from 'kafkajs';
import type { ReceivedMessage } from '../kafka-client.ts';

export const received = ({ offset, key, value, headers, timestamp }: KafkaMessage): ReceivedMessage => ({
  offset: BigInt(offset),
  key,
  value,
  headers: headersOf(headers),
  timestamp: Number(timestamp),
});

/**
 * The library collects repeated names into arrays, and mistakes inherited properties for a first value: only bytes
 * count.
 */
const headersOf = (headers: KafkaMessage['headers']): ReceivedMessage['headers'] =>
  Object.entries(headers ?? {}).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values])
      .filter((value) => value === null || Buffer.isBuffer(value))
      .map((value): readonly [string, Buffer] => [name, value ?? Buffer.alloc(0)]),
  );
