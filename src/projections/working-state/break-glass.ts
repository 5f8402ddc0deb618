import type { Pool } from 'pg';
import type { PipelinedReader } from '../database/pipelined-reader.ts';

/** Counts a run of the command line without a token (HI-06), in the database: it is a process of its own. */
export const makeCountBreakGlass =
  ({ pool }: { readonly pool: Pick<Pool, 'query'> }) =>
  async (): Promise<void> => {
    await pool.query(count);
  };

export const readBreakGlass = async (reader: Pick<PipelinedReader, 'query'>): Promise<number> => {
  const [row] = await reader.query<{ runs: string }>(readRuns, []);
  return Number(row?.runs ?? 0);
};

const count = `
  insert into break_glass (runs) values (1) on conflict (once) do update set runs = break_glass.runs + 1`;

const readRuns = { name: 'break-glass-runs', text: 'select runs from break_glass' };
