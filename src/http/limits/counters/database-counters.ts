import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Logger, PipelinedReader } from '../../../projections/database/pipelined-reader.ts';
import { countWith, type MakeCounters } from './counters.ts';
import { memoryCounters } from './memory-counters.ts';

type Dependencies = {
  /** A separate reader with a short timeout: a count that does not come soon is not worth waiting for. */
  readonly reader: PipelinedReader;
  /** The form of a key in the table, which must not hold addresses of browsers. The same on every instance. */
  readonly hide: (key: string) => string;
  readonly now: () => number;
  readonly logger: Logger;
};

/** After a failure the database is not used for this long, in milliseconds: nobody waits for it twice in a row. */
const rest = 1_000;

/**
 * Counters in Postgres, shared by all instances: one statement per count, and those of one request are sent together.
 * Nobody is refused because the database is slow or not available: in that time each instance counts for itself.
 */
export const databaseCounters = ({ reader, hide, now, logger }: Dependencies): MakeCounters => {
  let restUntil = 0;

  const failed = (err: unknown) => {
    if (now() >= restUntil)
      logger.warn({ err }, 'requests are counted in memory while the database does not answer');
    restUntil = now() + rest;
  };

  return (policy) => {
    const limiter = new RateLimiterPostgres({
      storeClient: asClient(reader),
      storeType: 'client',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix: '',
      points: policy.quota,
      duration: policy.window,
    });
    const insurance = memoryCounters()(policy);
    return {
      async count(key) {
        if (now() < restUntil) return insurance.count(key);
        try {
          return await countWith(limiter, hide(`${policy.name} ${key}`));
        } catch (error) {
          failed(error);
          return insurance.count(key);
        }
      },
    };
  };
};

/** Only the part of a client that the library uses. A count that is repeated on a new connection may count twice. */
const asClient = (reader: PipelinedReader) => ({
  query: async ({ name, text, values }: { name: string; text: string; values: readonly unknown[] }) => {
    const rows = await reader.query({ name, text }, values);
    return { rows, rowCount: rows.length };
  },
});
