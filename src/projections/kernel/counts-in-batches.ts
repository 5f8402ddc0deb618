import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Logger } from '../database/pipelined-reader.ts';

/** Counts that are stored together. With the process that counted, the number tells a batch that is sent again. */
export type Batch<Counted> = { readonly number: number; readonly counted: readonly Counted[] };

/** @param take removes what is to be stored next from the counts in memory; empty: there is nothing */
export const makeBatches = <Counted>(take: () => readonly Counted[]) => {
  let sending: Batch<Counted> | null = null;
  let batches = 0;
  return {
    /** What is to be stored: the same until `stored` is called; null when there is nothing. */
    next: (): Batch<Counted> | null => {
      if (sending) return sending;
      const counted = take();
      if (counted.length > 0) sending = { number: (batches += 1), counted };
      return sending;
    },
    stored: (): void => void (sending = null),
    /** Of the batch that is not known to be stored. */
    sent: (): readonly Counted[] => sending?.counted ?? [],
  };
};

/** SQL: `batch` has a row if this batch ($2) of the process ($1) is not stored yet. */
export const newBatch = `
  with batch as (
    insert into list_read_batches as known (counter, batch, added_at) values ($1, $2, now())
    on conflict (counter) do update set batch = excluded.batch, added_at = now() where known.batch < excluded.batch
    returning batch
  )`;

export type StoringDependencies<Counter> = {
  readonly counter: Counter;
  readonly pool: Pool;
  readonly now: () => number;
  readonly logger: Logger;
};

type Storing<Counted> = {
  /** Milliseconds between two writes; the counts of this time are lost when the process is killed. */
  readonly everyMs: number;
  /** Adds a batch once, even if sent again. */
  readonly write: (process: string, batch: Batch<Counted>) => Promise<void>;
  /** Drops what is too old, once an hour. */
  readonly sweep: () => Promise<unknown>;
  /** Called for the first of failures in a row. */
  readonly failed: (error: unknown) => void;
};

type Batches<Counted> = Pick<ReturnType<typeof makeBatches<Counted>>, 'next' | 'stored'>;

const sweepMs = 3_600_000;

/** Stores counts in the background. What cannot be stored now is stored later; nothing waits for it. */
export const startStoring = <Counted>(
  { counter, now }: Pick<StoringDependencies<Batches<Counted>>, 'counter' | 'now'>,
  { everyMs, write, sweep, failed }: Storing<Counted>,
) => {
  const process = randomUUID();
  let storedAt = now();
  let sweptAt = -Infinity;
  let isFailing = false;
  let going: Promise<void> | null = null;
  const run = async () => {
    const began = now();
    for (let batch = counter.next(); batch; batch = counter.next()) {
      await write(process, batch);
      counter.stored();
    }
    storedAt = began;
    isFailing = false;
    if (Math.abs(now() - sweptAt) < sweepMs) return;
    await sweep();
    sweptAt = now();
  };
  const soon = () =>
    (going ??= run()
      .catch((error: unknown) => {
        if (!isFailing) failed(error);
        isFailing = true;
      })
      .finally(() => (going = null)));
  const timer = setInterval(() => void soon(), everyMs);
  timer.unref();
  return {
    soon: () => void soon(),
    /** When everything counted so far was last stored: milliseconds since the Unix epoch. */
    storedAt: () => storedAt,
    /** Writes what is left, and stops. */
    async stop() {
      clearInterval(timer);
      await going;
      await soon();
    },
  };
};
