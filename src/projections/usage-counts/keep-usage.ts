import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { statement } from '../../common/transaction.ts';
import type { Logger } from '../database/pipelined-reader.ts';
import { dayMs } from '../read-counts/list-read.ts';
import type { UsageBatch, UsageCounter } from './count-usage.ts';

export type UsageDependencies = {
  readonly counter: Pick<UsageCounter, 'next' | 'stored'>;
  readonly pool: Pool;
  readonly now: () => number;
  readonly logger: Logger;
  /** Milliseconds between two writes. */
  readonly everyMs?: number;
};

/** The 30 that are shown, and some more. */
const keptDays = 32;

const usualEveryMs = 60_000;

/** Stores counts in the background. What cannot be stored now is stored later; nothing waits for it. */
export const startKeepingUsage = ({
  counter,
  pool,
  now,
  logger,
  everyMs = usualEveryMs,
}: UsageDependencies) => {
  const process = randomUUID();
  let sweptAt = -Infinity;
  let going: Promise<void> | null = null;
  const run = async () => {
    try {
      for (let batch = counter.next(); batch; batch = counter.next()) {
        await writeUsage(pool, process, batch);
        counter.stored();
      }
      if (Math.abs(now() - sweptAt) < dayMs / 24) return;
      await pool.query({ ...dropOld, values: [now() - keptDays * dayMs] });
      sweptAt = now();
    } catch (error) {
      logger.warn({ err: error }, 'counts of what add-ons do are not stored yet');
    }
  };
  const soon = () => (going ??= run().finally(() => (going = null)));
  const timer = setInterval(() => void soon(), everyMs);
  timer.unref();
  return {
    /** Writes what is left, and stops. */
    async stop() {
      clearInterval(timer);
      await going;
      await soon();
    },
  };
};

/** Adds a batch once, even if sent again, and nothing of ids that no add-on has. */
export const writeUsage = async (
  pool: Pick<Pool, 'query'>,
  process: string,
  { number, counted }: UsageBatch,
): Promise<void> => {
  const column = <K extends keyof UsageBatch['counted'][number]>(name: K) => counted.map((one) => one[name]);
  await pool.query({
    ...addUsage,
    values: [
      process,
      number,
      column('addonId'),
      column('day'),
      column('kind'),
      column('name'),
      column('count'),
      column('lastAt'),
      column('requestId'),
    ],
  });
};

/** In the order of the key, so that two instances never wait for each other. */
const addUsage = statement('add-addon-usage')`
  with batch as (
    insert into list_read_batches as known (counter, batch, added_at) values ($1, $2, now())
    on conflict (counter) do update set batch = excluded.batch, added_at = now() where known.batch < excluded.batch
    returning batch
  )
  insert into addon_usage as kept (addon_id, day, kind, name, count, last_at, request_id)
  select * from unnest($3::text[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::text[])
    as used (addon_id, day, kind, name, count, last_at, request_id)
  where exists (select from batch) and exists (select from addons where addons.addon_id = used.addon_id)
  order by addon_id, day, kind, name
  on conflict (addon_id, day, kind, name) do update set
    count = kept.count + excluded.count,
    request_id = case when excluded.last_at >= kept.last_at then excluded.request_id else kept.request_id end,
    last_at = greatest(kept.last_at, excluded.last_at)`;

const dropOld = statement('drop-old-addon-usage')`delete from addon_usage where day < $1`;
