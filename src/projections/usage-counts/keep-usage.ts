import type { Pool } from 'pg';
import { statement } from '../../common/transaction.ts';
import { dayMs } from '../read-counts/list-read.ts';
import { newBatch, startStoring, type Batch, type StoringDependencies } from '../kernel/counts-in-batches.ts';
import type { CountedUse, UsageCounter } from './count-usage.ts';

/** The 30 that are shown, and some more. */
const keptDays = 32;

const usualEveryMs = 60_000;

export const startKeepingUsage = (dependencies: StoringDependencies<UsageCounter>) => {
  const { pool, now, logger } = dependencies;
  return startStoring<CountedUse>(dependencies, {
    everyMs: usualEveryMs,
    write: (process, batch) => writeUsage(pool, process, batch),
    sweep: () => pool.query({ ...dropOld, values: [now() - keptDays * dayMs] }),
    failed: (error) => logger.warn({ err: error }, 'counts of what add-ons do are not stored yet'),
  });
};

/** Adds a batch once, even if sent again, and nothing of ids that no add-on has. */
export const writeUsage = async (
  pool: Pick<Pool, 'query'>,
  process: string,
  { number, counted }: Batch<CountedUse>,
): Promise<void> => {
  const columns = stored.map((name) => counted.map((one) => one[name]));
  await pool.query({ ...addUsage, values: [process, number, ...columns] });
};

const stored = ['addonId', 'day', 'kind', 'name', 'count', 'lastAt', 'requestId'] as const;

/** In the order of the key, so that two instances never wait for each other. */
const addUsage = statement('add-addon-usage')`${newBatch}
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
