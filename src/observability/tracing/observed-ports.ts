import { categoryOf } from '../../domain/kernel/stream-name.ts';
import type { EventStore, LogReader } from '../../eventstore/event-store.ts';
import type { Operations } from './operations.ts';
import type { Fence } from '../../domain/fence/fence.ts';
import type { KafkaClient } from '../../kafka/kafka-client.ts';

/** The same store; each append and each read of a stream is timed, by the stream's category. */
export const observedStore = <Store extends EventStore & LogReader>(
  store: Store,
  { around }: Pick<Operations, 'around'>,
): Store => ({
  ...store,
  append: (stream, ...rest) => around('append', categoryOf(stream), () => store.append(stream, ...rest)),
  read: (stream) => around('read', categoryOf(stream), () => store.read(stream)),
  readEnd: (stream, ...rest) => around('read', categoryOf(stream), () => store.readEnd(stream, ...rest)),
  readStored: (stream, ...rest) =>
    around('read', categoryOf(stream), () => store.readStored(stream, ...rest)),
  readEach: (stream, ...rest) => around('read', categoryOf(stream), () => store.readEach(stream, ...rest)),
});

/** The same fence; its reads and writes are timed. */
export const observedFence = (fence: Fence, { around }: Pick<Operations, 'around'>): Fence => ({
  write: (rows) => around('fence', 'write', () => fence.write(rows)),
  read: (subjects) => around('fence', 'read', () => fence.read(subjects)),
});

/** The same client; each publishing is timed, by the topic of the first message. */
export const observedPublishing = (
  client: Pick<KafkaClient, 'publish'>,
  { around }: Pick<Operations, 'around'>,
): Pick<KafkaClient, 'publish'> => ({
  publish: (messages, signal) =>
    around('publish', messages[0]?.topic ?? 'nothing', () => client.publish(messages, signal)),
});
