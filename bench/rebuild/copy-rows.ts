import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import copy from 'pg-copy-streams';

const schema = 'bench_copied';

/**
 * COPY of the rows of these tables into empty copies with all indexes, like loading a dump.
 * @returns the duration, without reading the rows
 */
export const copyRows = async (
  databaseUrl: string,
  from: { readonly schema: string; readonly tables: readonly string[] },
): Promise<number> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`create schema ${schema}; set synchronous_commit = off`); // as during a rebuild
    let seconds = 0;
    for (const table of from.tables) {
      const source = `${pg.escapeIdentifier(from.schema)}.${table}`;
      await client.query(`create table ${schema}.${table} (like ${source} including all)`);
      const rows: Buffer[] = [];
      for await (const chunk of client.query(copy.to(`copy ${source} to stdout`))) rows.push(chunk as Buffer);
      const target: Writable = client.query(copy.from(`copy ${schema}.${table} from stdin`));
      const started = performance.now();
      await pipeline(Readable.from(rows), target);
      seconds += (performance.now() - started) / 1000;
    }
    return seconds;
  } finally {
    await client.query(`drop schema if exists ${schema} cascade`);
    await client.end();
  }
};
