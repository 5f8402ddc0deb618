import {
  type EventStoreDBClient,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { unaryAppend } from '#log-copy';
import { withTimeout } from '../../common/with-timeout.ts';
import { describeError, refusedAccess, statusOf } from '../client/esdb-errors.ts';
import { type AppendProbe, EventStoreUnavailable, RightMissing } from '../event-store.ts';
import type { ReadClients } from '../client/read-client.ts';
import type { Right } from './rights-of-account.ts';

/** Never exists. An append or a removal at a revision of it is refused after the right was checked: nothing is written. */
const nowhere = 'rights-probe';
const itsMetadata = `$$${nowhere}`;

const attempts: Readonly<Record<Right, (esdb: EventStoreDBClient) => Promise<unknown>>> = {
  append: (esdb) => unaryAppend(esdb, nowhere, 0n, []),
  read: (esdb) => first(esdb.readStream(nowhere, { maxCount: 1 })),
  'read-all': (esdb) => first(esdb.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 })),
  'write-metadata': (esdb) => unaryAppend(esdb, itsMetadata, 0n, []),
  'read-metadata': (esdb) =>
    first(esdb.readStream(itsMetadata, { direction: 'backwards', fromRevision: 'end', maxCount: 1 })),
  delete: (esdb) => esdb.tombstoneStream(nowhere, { expectedRevision: 0n }),
};

const first = async (read: AsyncIterable<unknown>): Promise<void> => {
  for await (const _event of read) return;
};

/**
 * Tests a right of the account over a client for reads: none of this breaks the stream that all appends share, and
 * nothing is left behind. @throws RightMissing; what else stopped the test
 */
const tryRight = async (esdb: EventStoreDBClient, right: Right, ms: number): Promise<void> => {
  try {
    await withTimeout(ms, attempts[right](esdb));
  } catch (error) {
    const isAnswer = [StreamNotFoundError, StreamDeletedError, WrongExpectedVersionError].some(
      (kind) => error instanceof kind,
    );
    if (isAnswer) return;
    throw statusOf(error) === undefined ? error : refusedAccess(right, error);
  }
};

export const makeMissingRights =
  (readers: Pick<ReadClients, 'current'>, ms: number): AppendProbe['missingRights'] =>
  async (asked) => {
    const { esdb } = await readers.current();
    const missing = asked.map(async (right) => {
      const error = await tryRight(esdb, right, ms).then(() => null, asError);
      if (error === null || error instanceof RightMissing) return error ? [right] : [];
      throw error instanceof EventStoreUnavailable
        ? error
        : new EventStoreUnavailable(`a right cannot be tested: ${describeError(error)}`, { cause: error });
    });
    return (await Promise.all(missing)).flat();
  };

const asError = (error: unknown): unknown => error;
