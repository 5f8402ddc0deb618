import pg from 'pg';
import { retryingConflicts } from '../../common/transaction.ts';
import { type DatabaseGeneration, meetDatabase, wireOf } from './database-generation.ts';
import type { Logger } from './pipelined-reader.ts';

export type WritePoolOptions = {
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** A server that does not answer for this long counts as not available; the client is asked to try again (G-07). */
  readonly timeoutMs?: number;
  readonly connections?: number;
  /** Identifies the database behind each new connection. */
  readonly database?: DatabaseGeneration;
};

/**
 * The connections that commands write with. A write that timed out may still succeed later: every statement sent here
 * has to allow that, as the fence's monotone one does. Its connection is not used again.
 */
export const makeWritePool = ({
  databaseUrl,
  logger,
  timeoutMs = 5_000,
  connections = 10,
  database,
}: WritePoolOptions): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: connections,
    keepAlive: true,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    ...(database && {
      verify: (client, done) => {
        const end = (error?: Error) => process.nextTick(done, error); // an exception of `done` is not a failure of the check
        // With an error, so that the pool drops the connection, whether it is idle or in use.
        meetDatabase(database, client, (error) => wireOf(client).stream.destroy(error)).then(
          () => end(),
          end,
        );
      },
    }),
  });
  // The pool itself listens only while a connection is idle; an error without a listener would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', (error) => {
    // `end` resolves before the connections are closed: what happens to them then is no trouble.
    if (!pool.ending) logger.warn({ err: error }, 'an idle connection to the database was lost');
  });
  const query = pool.query.bind(pool) as (...given: readonly unknown[]) => Promise<unknown>;
  pool.query = ((...given: readonly unknown[]) =>
    retryingConflicts(() => query(...given))) as typeof pool.query;
  return pool;
};
