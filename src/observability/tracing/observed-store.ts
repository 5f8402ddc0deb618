import { categoryOf } from '../../domain/kernel/stream-name.ts';
import type { EventStore, LogReader } from '../../eventstore/event-store.ts';
import type { Operations } from './operations.ts';

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
