import type { DatabaseGeneration } from './database-generation.ts';
import type { PipelinedReader } from './pipelined-reader.ts';

/** The fence may not match the log yet: the caller may try again (503). */
export class DatabaseNotCurrent extends Error {
  override readonly name = 'DatabaseNotCurrent';
  /** PostgreSQL's code of a server that is up but accepts no connections yet. */
  readonly code = '57P03';
  constructor() {
    super('The connections lead to another database, and its fence is not known to be current');
  }
}

/**
 * For reads that tokens depend on. Once the fence was ready, nothing is answered from a database generation whose fence
 * has not caught up: neither the first statement over a new connection, nor one that was running when the other
 * database was found.
 */
export const guardGeneration = (reader: PipelinedReader, database: DatabaseGeneration): PipelinedReader => ({
  async query(statement, values) {
    const trusted = database.trustedGeneration();
    if (trusted === null) return reader.query(statement, values);
    if (trusted !== database.current()) throw new DatabaseNotCurrent();
    const rows = await reader.query<never>(statement, values);
    if (trusted !== database.current()) throw new DatabaseNotCurrent();
    return rows;
  },
  close: () => reader.close(),
});
