import pg from 'pg';
import type { Logger } from './read-lane.ts';

export type WritePoolOptions = {
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** A server that does not answer for this long counts as away; whoever waits is told to try again (G-07). */
  readonly timeoutMs?: number;
  readonly connections?: number;
};

/**
 * The connections that commands write with. A write that ran out of time may still arrive: every statement sent over it
 * has to bear that, as the fence's monotone one does. The connection that it hung on is given up.
 */
export const makeWritePool = ({
  databaseUrl,
  logger,
  timeoutMs = 5_000,
  connections = 10,
}: WritePoolOptions): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: connections,
    keepAlive: true,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  pool.on('error', (error) => logger.warn({ err: error }, 'an idle connection to the database was lost'));
  return pool;
};
