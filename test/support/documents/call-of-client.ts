import { PassThrough } from 'node:stream';
import type { EventStoreDBClient } from '@eventstore/db-client';

type Reached = (subscription: unknown, position: { commit: bigint; prepare: bigint }) => unknown;

/**
 * A subscription call as the client makes it, with deliveries that the test controls: events wait in its buffer, while
 * checkpoints and caught-up messages arrive at once.
 */
export const callOfClient = () => {
  const stream = Object.assign(new PassThrough({ objectMode: true, highWaterMark: 64 }), {
    unsubscribe: () => Promise.resolve(stream.destroy()),
  });
  let reached: Reached = () => undefined;
  const esdb = {
    subscribeToAll: ({ filter }: { filter: { checkpointReached: Reached } }) => {
      reached = filter.checkpointReached;
      return stream;
    },
  } as unknown as EventStoreDBClient;
  return {
    esdb,
    stream,
    /** @param more fields of the event in addition to its position */
    event: (commit: bigint, more: object = { type: 'Kept' }) =>
      void stream.write({ event: { ...more, position: { commit, prepare: commit } } }),
    checkpoint: (commit: bigint) => void reached(stream, { commit, prepare: commit }),
    caughtUp: () => void stream.emit('caughtUp'),
  };
};
