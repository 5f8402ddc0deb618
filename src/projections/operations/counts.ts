import { beginningOf } from '../../domain/kernel/ids.ts';
import { statement } from '../../common/transaction.ts';
import { isLive } from '../access/live-grants.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';

/** How many there are of something; `isMore`: counting stopped there. */
export type Count = {
  readonly count: number;
  readonly isMore: boolean;
  /** How many of them were made in the last seven days, and in the seven before; null where no id says when. */
  readonly lately: number | null;
  readonly before: number | null;
};

/** By what operators look after, in one statement. Ids begin with the time, so the newest are an index range. */
export type ReadCounts = () => Promise<Readonly<Record<string, Count | undefined>>>;

const most = 100_000;
const latelyMs = 7 * 86_400_000;

type Row = Omit<Count, 'isMore'> & { readonly name: string };

export const readCounts =
  (reader: PipelinedReader, now: () => number): ReadCounts =>
  async () => {
    const [since, before] = [beginningOf(now() - latelyMs), beginningOf(now() - 2 * latelyMs)];
    const rows = await reader.query<Row>(counts, [since, before, now()]);
    return Object.fromEntries(
      rows.map(({ name, count, ...trend }) => [
        name,
        { count: Math.min(count, most), isMore: count > most, ...trend },
      ]),
    );
  };

const one = (name: string, table: string, id: string, where = 'true'): string => `
  select '${name}' as name,
         (select count(*)::int from (select 1 from ${table} where ${where} limit ${most + 1}) as listed) as count,
         (select count(*)::int from (select 1 from ${table} where ${id} > $1 limit ${most}) as newest) as lately,
         (select count(*)::int from (select 1 from ${table} where ${id} > $2 and ${id} <= $1 limit ${most}) as older) as before`;

const counts = statement('counts')`${[
  one('organizations', 'organizations', 'organization_id'),
  one('users', 'accounts', 'user_id'),
  one('addons', 'addons', 'addon_id'),
  one('grants', 'grants', 'grant_id', isLive('$3')),
  one('publishers', 'publishers', 'publisher_id'),
  `select 'signals', count(*)::int, null::int, null::int from signal_streams where status <> 'deleted'`,
].join(' union all ')}`;

export type LatestGrant = {
  readonly grant_id: string;
  readonly client_id: string;
  readonly user_id: string;
  readonly organization_id: string | null;
  /** RFC 3339. */
  readonly issued_at: string;
};

/** The newest first. */
export type ReadLatestGrants = (limit: number) => Promise<readonly LatestGrant[]>;

export const readLatestGrants =
  (reader: PipelinedReader): ReadLatestGrants =>
  async (limit) => {
    const rows = await reader.query<LatestGrant & { readonly issued_at: number }>(latest, [limit]);
    return rows.map((row) => ({ ...row, issued_at: new Date(row.issued_at).toISOString() }));
  };

const latest = statement('latest-grants')`
  select grant_id, addon_id as client_id, user_id, organization_id, issued_at::float8 as issued_at
  from grants order by grant_id desc limit $1`;
