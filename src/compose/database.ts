import type { Logger } from 'pino';
import type { DatabaseGeneration } from '../projections/database/database-generation.ts';
import { observedReader, observePool } from '../projections/database/observe-queries.ts';
import { makePipelinedReader } from '../projections/database/pipelined-reader.ts';
import { watchProgress } from '../projections/follow/progress.ts';
import { makeWritePool } from '../projections/database/write-pool.ts';
import type { Operations } from '../observability/tracing/operations.ts';

type Dependencies = {
  readonly databaseUrl: string;
  readonly generation: DatabaseGeneration;
  readonly logger: Logger;
  readonly waits: Pick<Operations, 'begin'>;
};

export const openDatabase = ({ databaseUrl, generation: database, logger, waits }: Dependencies) => {
  const beginQuery = (name: string) => waits.begin('query', name);
  const pool = makeWritePool({ databaseUrl, logger, database });
  observePool(pool, beginQuery);
  // Few, and separate: a flood of sign-ins must not make other writes wait.
  const signInPool = makeWritePool({ databaseUrl, logger, connections: 2, database });
  observePool(signInPool, beginQuery);
  const lists = makePipelinedReader({ databaseUrl, logger, connections: 2, database });
  const reader = observedReader(lists, beginQuery);
  // Bearer checks, refresh and exchange must not wait behind a long list page.
  const fenceReader = observedReader(makePipelinedReader({ databaseUrl, logger, database }), beginQuery);
  const progress = watchProgress({ databaseUrl, reader, logger, database });
  const closeDatabase = async (): Promise<void> => {
    await progress.close();
    await Promise.all([reader.close(), fenceReader.close(), pool.end(), signInPool.end()]);
  };
  return { databaseUrl, pool, signInPool, reader, fenceReader, progress, closeDatabase };
};
