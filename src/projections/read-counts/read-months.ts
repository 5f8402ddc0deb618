import type { Pool, PoolClient } from 'pg';
import { inPoolTransaction } from '../../common/transaction.ts';
import { attachPartition, boundsOf, type Month } from '../history/history-months.ts';
import { dayMs } from './list-read.ts';

const partitionOf = (month: Month): string => `public.list_reads_${month.replace('-', '_')}`;

/** Creates the partition for a month of counts. Readers do not wait: it is created separately and then attached. */
export const makeReadMonth = (pool: Pool, month: Month): Promise<void> =>
  alone(pool, async (tx) => {
    if ((await monthsThere(tx)).includes(month)) return;
    const name = partitionOf(month);
    await tx.query(`create table ${name} (like public.list_reads including defaults including constraints)`);
    await attachPartition(tx, 'public.list_reads', name, month);
  });

/**
 * Drops months whose days are all older than the retention, and data about processes that no longer run.
 * @returns the months
 */
export const dropOldReads = async (
  pool: Pool,
  { now, days }: { readonly now: number; readonly days: number },
): Promise<readonly Month[]> => {
  await pool.query(`delete from list_read_batches where added_at < now() - interval '1 day'`);
  const isOld = (month: Month) => boundsOf(month)[1] <= now - days * dayMs;
  if (!(await monthsThere(pool)).some(isOld)) return [];
  const dropped: Month[] = [];
  await alone(pool, async (tx) => {
    for (const month of (await monthsThere(tx)).filter(isOld)) {
      await tx.query(`drop table ${partitionOf(month)}`);
      dropped.push(month);
    }
  });
  return dropped;
};

const monthsThere = async (tx: Pick<Pool, 'query'> | PoolClient): Promise<readonly Month[]> => {
  const { rows } = await tx.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'public.list_reads'::regclass order by c.relname`,
  );
  return rows.map(({ name }) => name.slice('list_reads_'.length).replace('_', '-'));
};

/** In one transaction, one process at a time. */
const alone = (pool: Pool, work: (tx: PoolClient) => Promise<void>): Promise<void> =>
  inPoolTransaction(pool, async (client) => {
    await client.query(`set local lock_timeout = '4s'`);
    await client.query('lock table public.list_reads in share update exclusive mode');
    await work(client);
  });
