import { inTransaction } from '../../../common/transaction.ts';
import {
  attachPartition,
  boundsOf,
  monthlyTables,
  partitionOf,
  readPartitions,
  type Month,
  type MonthlyTable,
} from '../history-months.ts';
import type { Tx } from '../../follow/projection.ts';
import {
  archivedColumns,
  type ArchivedRow,
  type ArchiveHeader,
  type ReadingArchive,
} from './archive-format.ts';
import { inUse, refuseVersions } from './archive-month.ts';
import { HistoryRefused, partitionMissing } from './refusal.ts';

export type Attached = {
  readonly month: Month;
  readonly events: number;
  readonly references: number;
  readonly sha256: string;
};

/** Restores an archived month, all of it or nothing. @throws HistoryRefused */
export const attachMonth = async (tx: Tx, reading: ReadingArchive): Promise<Attached> => {
  try {
    return await inTransaction(tx, async () => {
      await tx.query(`set local lock_timeout = '5s'`);
      await refuseVersions(tx);
      return load(tx, reading);
    });
  } catch (error) {
    throw (error as { code?: unknown }).code === '55P03' ? inUse() : refusalOf(error);
  }
};

/**
 * The database's errors for rows that no archive of ours contains: a text that is not a number, a duplicate row,
 * another month.
 */
const refusalOf = (error: unknown): unknown =>
  /^2[23]/.test(String((error as { code?: unknown }).code))
    ? new HistoryRefused('archive-changed', 'the archive was changed: it has rows that do not fit its month')
    : error;

const load = async (tx: Tx, reading: ReadingArchive): Promise<Attached> => {
  const first = await reading.next();
  if (first.done || !('format' in first.value)) throw new Error('an archive begins with its header');
  const header = first.value;
  const known = await refuseAttached(tx, header);
  const tables = await createTables(tx, header.month);
  const sha256 = await insertAll(tx, reading, tables);
  if (known !== null && known !== sha256)
    throw new HistoryRefused(
      'archive-changed',
      `this is not the archive of ${header.month} that was written: its SHA-256 is ${sha256}, and was ${known}`,
    );
  await refuseForeign(tx, tables.history_events);
  for (const table of monthlyTables)
    await attachPartition(tx, `public.${table}`, tables[table], header.month);
  await tx.query('delete from history_archives where month = $1', [header.month]);
  const { month, history_events: events, history_references: references } = header;
  return { month, events, references, sha256 };
};

/** @returns the digest that the database has stored; null when it has no record of an archive of this month */
const refuseAttached = async (tx: Tx, { month }: ArchiveHeader): Promise<string | null> => {
  const there = (await readPartitions(tx)).filter((one) => one.month === month);
  if (there.length === 1) throw partitionMissing(month);
  if (there.length > 0)
    throw new HistoryRefused(
      'month-attached',
      `the history of ${month} is in the database: nothing to attach`,
    );
  const text = 'select sha256 from history_archives where month = $1 for update';
  return (await tx.query<{ sha256: string }>(text, [month])).rows[0]?.sha256 ?? null;
};

/** With the month's bounds as a check constraint, so that attaching need not scan the rows. */
const createTables = async (tx: Tx, month: Month): Promise<Record<MonthlyTable, string>> => {
  const [from, end] = boundsOf(month);
  const made = { history_events: '', history_references: '' };
  for (const table of monthlyTables) {
    const name = `public.${partitionOf(table, month)}`;
    await tx.query(
      `create table ${name} (like public.${table} including defaults including constraints,
                             check (created >= ${from} and created < ${end}))`,
    );
    made[table] = name;
  }
  return made;
};

const rowsAtOnce = 5_000;

const insertAll = async (
  tx: Tx,
  reading: ReadingArchive,
  tables: Readonly<Record<MonthlyTable, string>>,
): Promise<string> => {
  let rows: ArchivedRow[] = [];
  const flush = async () => {
    for (const table of monthlyTables) {
      const own = rows.filter((row) => row.table === table);
      if (own.length > 0) await insert(tx, table, tables[table], own);
    }
    rows = [];
  };
  for (;;) {
    const next = await reading.next();
    if (next.done) {
      await flush();
      return next.value.sha256;
    }
    if ('values' in next.value) rows.push(next.value);
    if (rows.length >= rowsAtOnce) await flush();
  }
};

/** The column types come from the table: the server parses an array of rows as JSON. */
const insert = async (
  tx: Tx,
  table: MonthlyTable,
  name: string,
  rows: readonly ArchivedRow[],
): Promise<void> => {
  const columns = archivedColumns[table];
  const json = rows.map((row) =>
    Object.fromEntries(columns.map((column, i) => [column, row.values[i] ?? null])),
  );
  await tx.query(
    `insert into ${name} (${columns.join(', ')})
     select ${columns.join(', ')} from json_populate_recordset(null::${name}, $1::json)`,
    [JSON.stringify(json)],
  );
};

const refuseForeign = async (tx: Tx, events: string): Promise<void> => {
  const { rows } = await tx.query(
    `select from ${events} as event
     where not exists (select from history_streams as stream where stream.number = event.stream) limit 1`,
  );
  if (rows.length > 0)
    throw new HistoryRefused(
      'another-log',
      'the archive is of another log: it has streams that are not known here',
    );
};
