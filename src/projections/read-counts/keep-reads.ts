import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { inPoolTransaction } from '../../common/transaction.ts';
import type { Logger } from '../database/pipelined-reader.ts';
import { monthOf, type Month, attachPartition, boundsOf } from '../history/history-months.ts';
import type { ReadCounter } from './count-reads.ts';
import { hourMs, dayMs } from './list-read.ts';
import { writeReads } from './write-reads.ts';

export type ReadsDependencies = {
  readonly counter: Pick<ReadCounter, 'next' | 'stored' | 'waiting' | 'onFilling'>;
  readonly pool: Pool;
  readonly now: () => number;
  readonly logger: Logger;
  /** The minimum number of days kept: months are dropped as a whole. */
  readonly days: number;
  /** Milliseconds between two writes; the counts of this time are lost when the process is killed. */
  readonly everyMs?: number;
};

/** Well below the two minutes within which a read has to be visible. */
export const usualEveryMs = 30_000;

/** Stores counts in the background. What cannot be stored now is stored later; nothing waits for it. */
export const startKeepingReads = (dependencies: ReadsDependencies) => {
  const { counter, pool, now, logger, days, everyMs = usualEveryMs } = dependencies;
  const process = randomUUID();
  const months = new Set<Month>();
  let storedAt = now();
  let sweptAt = -Infinity;
  let going: Promise<boolean> | null = null;

  const storeAll = async () => {
    for (let batch = counter.next(); batch; batch = counter.next()) {
      const month = monthOf(batch.hour);
      if (!months.has(month)) await makeReadMonth(pool, month);
      months.add(month);
      await writeReads(pool, process, batch);
      counter.stored();
    }
  };
  const sweep = async () => {
    if (Math.abs(now() - sweptAt) < hourMs) return;
    const dropped = await dropOldReads(pool, { now: now(), days });
    sweptAt = now();
    for (const month of dropped) months.delete(month);
    if (dropped.length > 0) logger.info({ months: dropped }, 'counts of reads were dropped by their age');
  };
  const run = async (): Promise<boolean> => {
    const began = now();
    try {
      await storeAll();
      storedAt = began;
      await sweep();
      return true;
    } catch (error) {
      months.clear(); // the error may come from another database, without these months
      logger.warn({ err: error, pages: counter.waiting() }, 'counts of reads are not stored yet');
      return false;
    }
  };
  const soon = () => (going ??= run().finally(() => (going = null)));
  const timer = setInterval(() => void soon(), everyMs);
  timer.unref();
  counter.onFilling(() => void soon());
  return {
    soon: () => void soon(),
    /** When everything counted so far was last stored: milliseconds since the Unix epoch. */
    storedAt: () => storedAt,
    /** Writes what is left, and stops. */
    async stop() {
      clearInterval(timer);
      await going;
      await soon();
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
