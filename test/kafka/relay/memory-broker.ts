import {
  KafkaUnavailable,
  type KafkaClient,
  type MessageToPublish,
} from '../../../src/kafka/kafka-client.ts';
import type { Tape } from './tape.ts';

/** In the order in which readers of all topics could find them. */
export type Written = MessageToPublish & { readonly partition: number };

export type MemoryBroker = Pick<KafkaClient, 'publish'> & { readonly written: readonly Written[] };

const partitions = 3;

const partitionOf = (key: MessageToPublish['key']): number => {
  let hash = 0;
  for (const byte of Buffer.from(key ?? '')) hash = (hash * 31 + byte) >>> 0;
  return hash % partitions;
};

/**
 * As the port promises it, and no better: each partition takes its part in order, but in no order among partitions; a request
 * may fail with any part of it written, from the front of each partition, and what was begun is written also when nobody waits
 * for it any more.
 */
export const memoryBroker = (tape: Tape): MemoryBroker => {
  const written: Written[] = [];
  return {
    written,
    async publish(messages) {
      await tape.yields();
      const parts = new Map<string, Written[]>();
      for (const message of messages) {
        const partition = partitionOf(message.key);
        const name = `${message.topic}/${partition}`;
        parts.set(name, [...(parts.get(name) ?? []), { ...message, partition }]);
      }
      const fails = tape.choose(8) === 7;
      const left = [...parts.values()];
      if (fails) for (const part of left) part.length -= tape.choose(part.length + 1);
      for (;;) {
        const open = left.filter(({ length }) => length > 0);
        if (open.length === 0) break;
        const next = open[tape.choose(open.length)]?.shift();
        if (next) written.push(next);
        await tape.yields();
      }
      if (fails) throw new KafkaUnavailable('the answer was lost');
    },
  };
};
