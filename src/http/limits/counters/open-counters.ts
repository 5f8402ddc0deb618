import type { Logger, PipelinedReader } from '../../../projections/database/pipelined-reader.ts';
import type { MakeCounters } from './counters.ts';
import { databaseCounters } from './database-counters.ts';
import { memoryCounters } from './memory-counters.ts';

type Dependencies = {
  /** Where requests are counted: in each instance separately, or for all together. */
  readonly store: 'memory' | 'database';
  /** Called only for `database`. */
  readonly openReader: (options: { readonly timeoutMs: number }) => PipelinedReader;
  readonly hide: (key: string) => string;
  readonly logger: Logger;
};

export type OpenCounters = { readonly make: MakeCounters; readonly close: () => Promise<void> };

/** A count waits at most half a second for the database. */
const timeoutMs = 500;

export const openCounters = ({ store, openReader, hide, logger }: Dependencies): OpenCounters => {
  if (store === 'memory') return { make: memoryCounters(), close: () => Promise.resolve() };
  const reader = openReader({ timeoutMs });
  const make = databaseCounters({ reader, hide, now: () => Date.now(), logger });
  return { make, close: () => reader.close() };
};
