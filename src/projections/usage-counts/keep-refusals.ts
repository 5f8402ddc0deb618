import type { Pool } from 'pg';
import { statement } from '../../common/transaction.ts';
import { startStoring, type StoringDependencies } from '../kernel/counts-in-batches.ts';
import type { Refusal, RefusalCollector } from './collect-refusals.ts';

/** Whoever tries out an add-on looks for the refusal a moment later. */
const everyMs = 5_000;

/** What is too old or too much is removed with other rows (sweeps.ts). */
export const startKeepingRefusals = (dependencies: StoringDependencies<RefusalCollector>) => {
  const { pool, logger } = dependencies;
  return startStoring<Refusal>(dependencies, {
    everyMs,
    write: (_process, { counted }) => writeRefusals(pool, counted),
    sweep: () => Promise.resolve(),
    failed: (error) => logger.warn({ err: error }, 'refusals of add-ons are not stored yet'),
  });
};

/** Each once, even if sent again, and nothing of ids that no add-on has. */
export const writeRefusals = async (
  pool: Pick<Pool, 'query'>,
  refusals: readonly Refusal[],
): Promise<void> => {
  const columns = stored.map((name) => refusals.map((one) => one[name]));
  await pool.query({ ...addRefusals, values: columns });
};

const stored = ['refusalId', 'addonId', 'at', 'endpoint', 'reason', 'network'] as const;

const addRefusals = statement('add-addon-refusals')`
  insert into addon_refusals (refusal_id, addon_id, at, endpoint, reason, network)
  select * from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::cidr[])
    as refused (refusal_id, addon_id, at, endpoint, reason, network)
  where exists (select from addons where addons.addon_id = refused.addon_id)
  on conflict do nothing`;
