import { readFileSync } from 'node:fs';

/** The maximum number of open files of this process; Infinity without a limit, null if unknown (only Linux tells it). */
export const openFileLimit = (): number | null => {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(readLimits())?.[1];
  return soft === undefined ? null : soft === 'unlimited' ? Infinity : Number(soft);
};

const readLimits = (): string => {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
};

/** File descriptors for PostgreSQL, the event store, Kafka, logs, and short-lived files of requests. */
const reserve = 256;
/** Without a setting: each connection costs memory, too. */
const mostByDefault = 16_000;
/** Where the limit on open files is unknown (only Linux tells it). */
const assumedFiles = 4_096;

/** Always below the limit on open files: no connection fails for lack of one. `wanted`: MAX_CONNECTIONS, or null. */
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
