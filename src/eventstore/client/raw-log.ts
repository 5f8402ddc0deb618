import { rawLog, type RawLog } from '#log-copy';
import { EventStoreUnavailable } from '../event-store.ts';
import { checkConnectionString } from '../server/connection-problems.ts';
import { describeError, statusOf } from './esdb-errors.ts';
import { openClient } from './open-client.ts';
import { dispose } from './write-client.ts';

/**
 * A whole log in its stored form, over a connection of its own; its failures are EventStoreUnavailable.
 * @throws Error when the connection string does not mean what it says
 */
export const openRawLog = (url: string): RawLog & { close(): Promise<void> } => {
  checkConnectionString(url);
  const esdb = openClient(url);
  const log = rawLog(esdb, {
    isFinal: (cause) => statusOf(cause) !== undefined,
    failed: (what, cause) => new EventStoreUnavailable(`${what}: ${describeError(cause)}`, { cause }),
  });
  return { ...log, close: () => dispose(esdb, 1_000) };
};
