import type { EachBatchPayload } from 'kafkajs';
import type { ConsumeOptions } from '../kafka-client.ts';
import type { KeepAlive } from './keep-alive.ts';
import type { Partitions } from './partitions.ts';
import { received } from './received.ts';

type Dependencies = {
  readonly options: ConsumeOptions;
  readonly partitions: Partitions;
  readonly keepAlive: KeepAlive;
};

/**
 * Handles what was fetched of one partition, piece by piece, and commits each piece. After a rejection the partition is left
 * alone for a while, and others go on; what is not resolved is fetched again then. Rejects when a piece could not be
 * committed: the library joins the group again, or tries again, from what was resolved.
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
    // What follows the last message is the library's and the broker's own: marks of transactions.
    const done = from + piece.length < batch.messages.length ? last : batch.lastOffset();
    const next = BigInt(done) + 1n;
    const partitions = [{ partition, offset: next.toString() }];
    await payload.commitOffsetsIfNecessary({ topics: [{ topic, partitions }] });
    payload.resolveOffset(last);
    state.committed(next);
  }
};
