import type { LogMessage, LogSubscriptions } from '../../eventstore/event-store.ts';
import { linkAbort } from '../../common/linked-abort.ts';
import { makeBatchQueue, type BatchQueue } from './batch-queue.ts';

/** A subscription that keeps reading while its taker is busy: what has arrived by then is the next batch. */
export type ReadAhead = {
  /**
   * All waiting messages, up to `max`, as soon as there is one; empty after the end. @throws what the subscription
   * throws
   */
  take(max: number): Promise<readonly LogMessage[]>;
  /** Waits until this many messages are waiting, for `ms` at most. */
  gather(count: number, ms: number): Promise<void>;
  /** Ends the subscription. */
  leave(): Promise<void>;
};

/** @param most waiting messages before the subscription has to wait */
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
