import { randomUUID } from 'node:crypto';
import { ANY, EventStoreDBClient, StreamNotFoundError, streamNameFilter } from '@eventstore/db-client';
import { checkConnectionString } from './connection-problems.ts';
import { permissionDenied, statusOf } from './esdb-errors.ts';
import { withTimeout } from '../common/with-timeout.ts';
import { dispose } from './write-client.ts';

export type Right = { readonly name: string; readonly isGiven: boolean };

/**
 * Tests the operations that the service needs, with its account: appends (no event, to a stream of its own, so nothing
 * is left behind), reads that stream, reads `$all`, subscribes. `ms` limits each test. @throws what stopped a test,
 * unless it is a missing right
 */
export const tryRights = async (url: string, ms: number): Promise<readonly Right[]> => {
  checkConnectionString(url);
  const esdb = EventStoreDBClient.connectionString(url);
  const stream = `doctor-${randomUUID()}`;
  const tries: Readonly<Record<string, () => Promise<unknown>>> = {
    'append to a stream': () => esdb.appendToStream(stream, [], { expectedRevision: ANY }),
    'read a stream': () => first(esdb.readStream(stream, { maxCount: 1 })),
    'read $all': () => first(esdb.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 })),
    'subscribe to $all': () => confirmed(esdb, stream),
  };
  try {
    // One after the other: an error of one would break the stream that all appends share.
    const rights: Right[] = [];
    for (const [name, attempt] of Object.entries(tries))
      rights.push({ name, isGiven: await isGiven(withTimeout(ms, attempt())) });
    return rights;
  } finally {
    await dispose(esdb, 1_000);
  }
};

/** Reading a stream that does not exist is a success. An unknown user is an error, not a missing right. */
const isGiven = async (attempt: Promise<unknown>): Promise<boolean> => {
  try {
    await attempt;
    return true;
  } catch (error) {
    if (statusOf(error) === permissionDenied) return false;
    if (error instanceof StreamNotFoundError) return true;
    throw error;
  }
};

const first = async (read: AsyncIterable<unknown>): Promise<void> => {
  for await (const _event of read) return;
};

const confirmed = (esdb: EventStoreDBClient, stream: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const filter = streamNameFilter({ prefixes: [stream] });
    esdb
      .subscribeToAll({ fromPosition: 'end', filter })
      .on('confirmation', () => resolve())
      .on('error', reject);
  });
