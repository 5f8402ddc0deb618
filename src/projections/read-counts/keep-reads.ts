import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { monthOf, type Month } from '../history/history-months.ts';
import type { Logger } from '../database/pipelined-reader.ts';
import type { ReadCounter } from './count-reads.ts';
import { hourMs } from './list-read.ts';
import { dropOldReads, makeReadMonth } from './read-months.ts';
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

export type KeptReads = {
  /** Requests a write soon. */
  readonly soon: () => void;
  /** When everything counted so far was last stored: milliseconds since the Unix epoch. */
  storedAt(): number;
  /** Writes what is left, and stops. */
  stop(): Promise<void>;
};

/** Well below the two minutes within which a read has to be visible. */
export const usualEveryMs = 30_000;

/** Stores counts in the background. What cannot be stored now is stored later; nothing waits for it. */
export const startKeepingReads = (dependencies: ReadsDependencies): KeptReads => {
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
    storedAt: () => storedAt,
    async stop() {
      clearInterval(timer);
      await going;
      if (!(await soon()))
        logger.error(
          { pages: counter.waiting() },
          'counts of reads were lost: they could not be stored at the end',
        );
    },
  };
};
