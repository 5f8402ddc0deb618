import { inTransaction } from '../../common/transaction.ts';
import type { Tx } from '../follow/projection.ts';
import { RebuildRefused, refuseInUse } from '../rebuild/refusal.ts';
import { boundsOf, monthlyTables, partitionOf, readPartitions, type Month } from './history-months.ts';
import { historyGroup } from './history.ts';

export type MonthStatus = {
  readonly month: Month;
  /** `incomplete`: one of its two partitions is missing. */
  readonly state: 'attached' | 'incomplete' | 'dropped';
  /** Milliseconds since the Unix epoch. */
  readonly droppedAt: number | null;
};

/** Ordered from the oldest month. */
export const readMonths = async (tx: Tx): Promise<readonly MonthStatus[]> => {
  const { rows: dropped } = await tx.query<{ month: Month; droppedAt: number }>(
    'select month, dropped_at::float8 as "droppedAt" from history_dropped',
  );
  const partitions = (await readPartitions(tx)).map(({ month }) => month);
  const attached = [...new Set(partitions)].map((month): MonthStatus => {
    const isWhole = partitions.filter((one) => one === month).length === monthlyTables.length;
    return { month, state: isWhole ? 'attached' : 'incomplete', droppedAt: null };
  });
  return [...attached, ...dropped.map((row) => ({ ...row, state: 'dropped' as const }))].toSorted((a, b) =>
    a.month < b.month ? -1 : 1,
  );
};

/** Of a month in the database, including indexes; 0 for one that is dropped. */
export const bytesOf = async (tx: Tx, month: Month): Promise<number> => {
  const names = monthlyTables.map((table) => partitionOf(table, month));
  const { rows } = await tx.query<{ bytes: number }>(
    `select coalesce(sum(pg_total_relation_size(to_regclass(name))), 0)::float8 as bytes from unnest($1::text[]) as name`,
    [names],
  );
  return rows[0]?.bytes ?? 0;
};

/**
 * Removes a month's references, of which the log has all; a rebuild of history brings them back. The oldest month goes
 * first, so that what is missing ends at one position. @throws RebuildRefused
 */
export const dropMonth = async (tx: Tx, month: Month, now: number): Promise<void> => {
  await refuseUnready(tx, month);
  await inTransaction(tx, async () => {
    await tx.query(`set local lock_timeout = '5s'`);
    // The projector waits until this is done; readers wait only while the catalog is changed.
    await tx.query('select from checkpoints where name = $1 for update', [historyGroup]);
    await tx.query(
      `insert into history_dropped (month, first_position, last_position, dropped_at)
       select $1, min(first), max(last), $2
       from (select min(position), max(position) from history_events where created >= $3 and created < $4
             union all
             select min(position), max(position) from history_references where created >= $3 and created < $4) as of (first, last)`,
      [month, now, ...boundsOf(month)],
    );
    for (const { schema, table } of (await readPartitions(tx)).filter((one) => one.month === month)) {
      const partition = `${schema}.${partitionOf(table, month)}`;
      await tx.query(`alter table ${schema}.${table} detach partition ${partition}`);
      await tx.query(`drop table ${partition}`);
    }
  }).catch(refuseInUse('changed'));
};

const refuseUnready = async (tx: Tx, month: Month): Promise<void> => {
  const months = await readMonths(tx);
  const there = months.find((one) => one.month === month);
  if (!there) throw new RebuildRefused('month-unknown', `there is no history of ${month} in the database`);
  if (there.state === 'dropped') throw new RebuildRefused('month-dropped', `${month} is dropped already`);
  const earlier = months.find(({ state }) => state !== 'dropped');
  if (earlier && earlier.month < month)
    throw new RebuildRefused('earlier-month', `drop ${earlier.month} first: the oldest month goes first`);
  if (!(await hasLater(tx, month)))
    throw new RebuildRefused(
      'month-not-over',
      `${month} may not be over: no event of a later month has been stored, or it has not reached the history yet`,
    );
  const { rows: parked } = await tx.query(`select from parked_events where projection = 'history' limit 1`);
  if (parked.length > 0)
    throw new RebuildRefused(
      'events-parked',
      'events of the history are parked and may belong to this month: retry or skip them first (grantbook parked list)',
    );
  await refuseVersions(tx);
};

/** The times of the log never go back: after one event of a later month, no more events of this month can come. */
const hasLater = async (tx: Tx, month: Month): Promise<boolean> => {
  const [, end] = boundsOf(month);
  const { rows } = await tx.query(
    `(select from history_events where created >= $1 limit 1) union all
     (select from history_references where created >= $1 limit 1)`,
    [end],
  );
  return rows.length > 0;
};

/** They would have the month, and a swap would not be equal. */
const refuseVersions = async (tx: Tx): Promise<void> => {
  const { rows } = await tx.query<{ version: number }>(
    `select version from projection_versions where name = 'history' and state <> 'live' order by version limit 1`,
  );
  const [first] = rows;
  if (first)
    throw new RebuildRefused(
      'versions-beside',
      `there are other versions of history: drop them first (grantbook projections drop history --version ${first.version})`,
    );
};
