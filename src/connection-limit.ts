import { openFileLimit } from './open-file-limit.ts';

/** Files that are no client: pools of PostgreSQL, the event store, Kafka, logs, and what a request opens for a moment. */
const reserve = 256;
/** Without a setting: each connection costs memory, too. */
const mostByDefault = 16_000;
/** Where nothing says how many files may be open (only Linux does). */
const assumedFiles = 4_096;

/**
 * How many connections of clients there may be: always below the limit on open files, so that a client is never refused
 * because a file cannot be opened.
 * @param wanted MAX_CONNECTIONS, or null
 */
export const connectionLimit = (
  wanted: number | null,
  logger: { warn(fields: object, message: string): void },
  files = openFileLimit() ?? assumedFiles,
): number => {
  const possible = files - Math.min(reserve, Math.ceil(files / 2));
  if (wanted === null) return Math.min(possible, mostByDefault);
  if (wanted > possible)
    logger.warn(
      { wanted, possible, openFiles: files },
      'MAX_CONNECTIONS is more than the limit on open files allows: raise it (ulimit -n, LimitNOFILE)',
    );
  return Math.min(wanted, possible);
};
