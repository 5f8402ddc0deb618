import { type DatabaseGeneration, DatabaseNotCurrent } from './database-generation.ts';
import type { PipelinedReader } from './pipelined-reader.ts';

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
