import pg from 'pg';
import type { Tx } from '../follow/projection.ts';

/** The tables that are partitioned by month; each month is a partition of both. */
export const monthlyTables = ['history_events', 'history_references'] as const;
export type MonthlyTable = (typeof monthlyTables)[number];

/** A month of UTC, such as `2026-11`. */
export type Month = string;

/** @param instant milliseconds since the Unix epoch */
export const monthOf = (instant: number): Month => new Date(instant).toISOString().slice(0, 7);

/** Milliseconds since the Unix epoch; the second is the first of the next month. */
export const boundsOf = (month: Month): readonly [number, number] => {
  const begin = new Date(`${month}-01T00:00:00.000Z`);
  return [begin.getTime(), Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + 1)];
};

export const partitionOf = (table: MonthlyTable, month: Month): string =>
  `${table}_${month.replace('-', '_')}`;

export type Partition = { readonly schema: string; readonly table: MonthlyTable; readonly month: Month };

/** The partitions of the tables that the connection finds by their plain names, ordered from the oldest. */
export const readPartitions = async (tx: Tx): Promise<readonly Partition[]> => {
  const { rows } = await tx.query<{ schema: string; table: MonthlyTable; partition: string }>({
    name: 'history-partitions',
    text: `select n.nspname as schema, p.relname as table, c.relname as partition
           from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
                join pg_namespace n on n.oid = p.relnamespace
           where i.inhparent in (to_regclass('history_events'), to_regclass('history_references'))
           order by c.relname`,
  });
  return rows.map(({ schema, table, partition }) => ({
    schema,
    table,
    month: partition.slice(table.length + 1).replace('_', '-'),
  }));
};

/** Creates months that have no partition, as a part of the transaction. Readers of the tables do not wait for it. */
export const ensureMonths = async (
  tx: Tx,
  partitions: readonly Partition[],
  months: ReadonlySet<Month>,
): Promise<void> => {
  const there = new Set(partitions.map(({ table, month }) => partitionOf(table, month)));
  for (const month of months)
    for (const table of monthlyTables)
      if (!there.has(partitionOf(table, month))) await createPartition(tx, table, month);
};

/** Created separately and then attached: `create table … partition of` would lock out readers. */
const createPartition = async (tx: Tx, table: MonthlyTable, month: Month): Promise<void> => {
  const { rows } = await tx.query<{ schema: string }>(
    'select relnamespace::regnamespace::text as schema from pg_class where oid = $1::regclass',
    [table],
  );
  const schema = rows[0]?.schema; // quoted where it has to be
  const name = `${schema}.${pg.escapeIdentifier(partitionOf(table, month))}`;
  await tx.query(`create table ${name} (like ${schema}.${table} including defaults including constraints)`);
  await attachPartition(tx, `${schema}.${table}`, name, month);
};

/**
 * The server creates the indexes that the partition lacks. A past month gets no more rows, so its pages may be full
 * when they are rewritten; the other indexes take that setting from the table's.
 */
export const attachPartition = async (tx: Tx, parent: string, name: string, month: Month): Promise<void> => {
  const [from, to] = boundsOf(month);
  await tx.query(`alter table ${parent} attach partition ${name} for values from (${from}) to (${to})`);
  const { rows } = await tx.query<{ key: string }>(
    'select indexrelid::regclass::text as key from pg_index where indrelid = $1::regclass and indisprimary',
    [name],
  );
  for (const { key } of rows) await tx.query(`alter index ${key} set (fillfactor = 100)`);
};
