import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import type { ConsumeOptions, ReceivedMessage } from '../kafka-client.ts';
import type { KeepAlive } from './keep-alive.ts';
import type { Partitions } from './partitions.ts';

type Dependencies = {
  readonly options: ConsumeOptions;
  readonly partitions: Partitions;
  readonly keepAlive: KeepAlive;
};

/**
 * Handles a partition's messages piece by piece, committing each; a rejection pauses the partition. Rejects when a commit failed:
 * the library rejoins or retries after the last resolved piece.
 */
export const processBatch = async (payload: EachBatchPayload, dependencies: Dependencies): Promise<void> => {
  const { batch } = payload;
  const { topic, partition } = batch;
  const { options, keepAlive } = dependencies;
  const state = dependencies.partitions.of(topic, partition);
  const signal = keepAlive.signal();
  const end = BigInt(batch.highWatermark);
  state.ended(end);
  for (let from = 0; from < batch.messages.length; from += options.batchSize) {
    if (!payload.isRunning() || signal.aborted) return;
    const piece = batch.messages.slice(from, from + options.batchSize);
    const last = String(piece.at(-1)?.offset);
    try {
      const work = options.handle({ topic, partition, messages: piece.map(received), end }, signal);
      await keepAlive.during(() => payload.heartbeat(), work);
    } catch (error) {
      if (signal.aborted) return;
      setTimeout(payload.pause(), state.rejected(error)).unref();
      return;
    }
    // Offsets after the last message belong to transaction markers.
    const done = from + piece.length < batch.messages.length ? last : batch.lastOffset();
    const next = BigInt(done) + 1n;
    const partitions = [{ partition, offset: next.toString() }];
    await payload.commitOffsetsIfNecessary({ topics: [{ topic, partitions }] });
    payload.resolveOffset(last);
    state.committed(next);
  }
};

export const received = ({ offset, key, value, headers, timestamp }: KafkaMessage): ReceivedMessage => ({
  offset: BigInt(offset),
  key,
  value,
  headers: headersOf(headers),
  timestamp: Number(timestamp),
});

/** The library collects repeated names into arrays and mistakes inherited properties for values: only bytes count. */
const headersOf = (headers: KafkaMessage['headers']): ReceivedMessage['headers'] =>
  Object.entries(headers ?? {}).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values])
      .filter((value) => value === null || Buffer.isBuffer(value))
      .map((value): readonly [string, Buffer] => [name, value ?? Buffer.alloc(0)]),
  );
