import type { Pool, PoolClient } from 'pg';
import { inPoolTransaction } from '../../common/transaction.ts';
import { startStoring, type StoringDependencies } from '../kernel/counts-in-batches.ts';
import { monthOf, type Month, attachPartition, boundsOf } from '../history/history-months.ts';
import type { CountedReads, ReadCounter } from './count-reads.ts';
import { dayMs } from './list-read.ts';
import { writeReads } from './write-reads.ts';

export type ReadsDependencies = StoringDependencies<ReadCounter> & {
  /** The minimum number of days kept: months are dropped as a whole. */
  readonly days: number;
};

/** Well below the two minutes within which a read has to be visible. */
export const usualEveryMs = 30_000;

/** Stores counts in the background, and says at a clean stop what it lost. */
export const startKeepingReads = (dependencies: ReadsDependencies) => {
  const { counter, pool, now, logger, days } = dependencies;
  const months = new Set<Month>();
  const storing = startStoring<CountedReads>(dependencies, {
    everyMs: usualEveryMs,
    write: async (process, batch) => {
      const month = monthOf(batch.counted[0]?.hour ?? now());
      if (!months.has(month)) await makeReadMonth(pool, month);
      months.add(month);
      await writeReads(pool, process, batch);
    },
    sweep: async () => {
      const dropped = await dropOldReads(pool, { now: now(), days });
      for (const month of dropped) months.delete(month);
      if (dropped.length > 0) logger.info({ months: dropped }, 'counts of reads were dropped by their age');
    },
    failed: (error) => {
      months.clear(); // the error may come from another database, without these months
      logger.warn({ err: error, pages: counter.waiting() }, 'counts of reads are not stored yet');
    },
  });
  counter.onFilling(storing.soon);
  return {
    ...storing,
    async stop() {
      await storing.stop();
      const pages = counter.waiting();
      if (pages > 0)
        logger.error({ pages }, 'counts of reads were lost: they could not be stored at the end');
    },
  };
};

const partitionOf = (month: Month): string => `list_reads_${month.replace('-', '_')}`;

/** Creates the partition for a month of counts. Readers do not wait: it is created separately and then attached. */
const makeReadMonth = (pool: Pool, month: Month): Promise<void> =>
  alone(pool, async (tx) => {
    if ((await monthsThere(tx)).includes(month)) return;
    const name = partitionOf(month);
    await tx.query(`create table ${name} (like list_reads including defaults including constraints)`);
    await attachPartition(tx, 'list_reads', name, month);
  });

/** Drops months whose days are all older, and data of ended processes. @returns the months */
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
     where i.inhparent = 'list_reads'::regclass order by c.relname`,
  );
  return rows.map(({ name }) => name.slice('list_reads_'.length).replace('_', '-'));
};

/** In one transaction, one process at a time. */
const alone = (pool: Pool, work: (tx: PoolClient) => Promise<void>): Promise<void> =>
  inPoolTransaction(pool, async (client) => {
    await client.query(`set local lock_timeout = '4s'`);
    await client.query('lock table list_reads in share update exclusive mode');
    await work(client);
  });
