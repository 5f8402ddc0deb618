import type { LogMessage, LogSubscriptions } from '../eventstore/event-store.ts';
import { linkAbort } from '../common/linked-abort.ts';
import { makeBatchQueue, type BatchQueue } from './batch-queue.ts';

/** A subscription that goes on reading while its taker is busy: whatever has come in meanwhile is the next batch. */
export type ReadAhead = {
  /** Everything that waits, up to `max`, as soon as there is anything; empty after the end. @throws what the subscription throws */
  take(max: number): Promise<readonly LogMessage[]>;
  /** Waits until so many can be taken, for `ms` at the most. */
  gather(count: number, ms: number): Promise<void>;
  /** Ends the subscription. */
  leave(): Promise<void>;
};

/** @param most messages that wait before the subscription is made to wait */
export const readAhead = (
  log: LogSubscriptions,
  { signal, ...from }: Parameters<LogSubscriptions['subscribe']>[0],
  most: number,
): ReadAhead => {
  const leaving = linkAbort(signal);
  const queue = makeBatchQueue<LogMessage>(most);
  const reading = fill(queue, log.subscribe({ ...from, signal: leaving.signal }));
  return {
    take: (max) => queue.take(max),
    gather: (count, ms) => queue.gather(count, ms, leaving.signal),
    async leave() {
      leaving.abort();
      leaving.unlink();
      queue.end();
      await reading;
    },
  };
};

const fill = async (queue: BatchQueue<LogMessage>, messages: AsyncIterable<LogMessage>): Promise<void> => {
  try {
    for await (const message of messages) {
      const room = queue.push(message);
      if (room) await room;
    }
    queue.end();
  } catch (error) {
    queue.end(error);
  }
};
