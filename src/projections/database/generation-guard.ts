import { type DatabaseGeneration, DatabaseNotCurrent } from './database-generation.ts';
import type { PipelinedReader } from './pipelined-reader.ts';

/** For reads of tokens: nothing is answered from a generation whose fence has not caught up, not even by a running statement. */
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
