import { StreamDeletedError, WrongExpectedVersionError } from '@eventstore/db-client';
import { makeBackoff, pause } from '../../common/backoff.ts';
import { describeError, refusedAccess, statusOf } from './esdb-errors.ts';
import { EventStoreUnavailable, InvalidAppend, type StreamRemover } from '../event-store.ts';
import type { Logger } from '../logger.ts';
import type { ReadClients } from './read-client.ts';
import type { Timeouts } from './timeouts.ts';
import { isStreamName } from '../codec/validate.ts';
import { withTimeout } from '../../common/with-timeout.ts';

type Dependencies = {
  /** The client for reads: an error must not break the stream that appends share. */
  readonly readers: Pick<ReadClients, 'current'>;
  readonly timeouts: Timeouts;
  readonly logger: Logger;
  /** Aborted when the store is closed. */
  readonly closed: AbortSignal;
};

/**
 * Removes with tombstones: with a soft delete, a scavenge would keep the stream's last event, and most removed streams
 * have only one or two. Retrying after an unknown outcome is safe: the server reports a stream that is already gone.
 */
export const makeEsdbRemove =
  ({ readers, timeouts, logger, closed }: Dependencies): StreamRemover['remove'] =>
  async (stream, revision) => {
    if (!isStreamName(stream) || revision < 0n)
      throw new InvalidAppend(`not a stream to remove, or no revision: ${stream.slice(0, 100)}`);
    const backoff = makeBackoff(50, 400);
    const started = performance.now();
    for (;;) {
      if (closed.aborted) throw new EventStoreUnavailable('the event store was closed');
      try {
        const { esdb } = await readers.current();
        await withTimeout(timeouts.appendMs, esdb.tombstoneStream(stream, { expectedRevision: revision }));
        return 'removed';
      } catch (cause) {
        if (cause instanceof StreamDeletedError) return 'removed';
        if (cause instanceof WrongExpectedVersionError) return 'changed';
        if (statusOf(cause) !== undefined) throw refusedAccess('delete', cause);
        const wait = backoff.next();
        const over = performance.now() + wait - started >= timeouts.unavailableMs;
        if (over)
          throw new EventStoreUnavailable(`${stream} cannot be removed: ${describeError(cause)}`, { cause });
        logger.warn({ stream, cause: describeError(cause) }, 'event store: retrying the removal');
        await pause(wait, closed);
      }
    }
  };
