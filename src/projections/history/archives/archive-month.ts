import { inTransaction } from '../../../common/transaction.ts';
import {
  boundsOf,
  monthlyTables,
  partitionOf,
  readPartitions,
  type Month,
  type MonthlyTable,
} from '../history-months.ts';
import { historyGroup } from '../history.ts';
import type { Tx } from '../../follow/projection.ts';
import { archivedColumns, headerOf, makeDigest } from './archive-format.ts';
import { HistoryRefused, partitionMissing } from './refusal.ts';

export type Archived = {
  readonly month: Month;
  readonly file: string;
  readonly events: number;
  readonly references: number;
  readonly sha256: string;
};

export type ArchiveDependencies = {
  readonly tx: Tx;
  readonly now: () => number;
  /** Writes a new file, completely or not at all; null when a file of that name exists. */
  readonly write: <T>(file: string, texts: AsyncGenerator<string, T>) => Promise<T | null>;
};

/**
 * Writes a month's references into a file and then removes them from the database: whatever interrupts it, they are in
 * one of the two. @throws HistoryRefused
 */
export const archiveMonth = async (
  dependencies: ArchiveDependencies,
  month: Month,
  file: string,
): Promise<Archived> => {
  const { tx, write, now } = dependencies;
  await refuseUnready(tx, month);
  const counts = await countRows(tx, month);
  const sha256 = await write(file, textsOf(tx, month, counts));
  if (sha256 === null)
    throw new HistoryRefused(
      'file-exists',
      `${file} is there already, and an archive replaces nothing: ${month} is still in the database`,
    );
  const archived: Archived = {
    month,
    file,
    events: counts.history_events,
    references: counts.history_references,
    sha256,
  };
  await detach(tx, archived, now());
  return archived;
};

const refuseUnready = async (tx: Tx, month: Month): Promise<void> => {
  const { rows: archived } = await tx.query('select from history_archives where month = $1', [month]);
  if (archived.length > 0) throw new HistoryRefused('month-archived', `${month} is archived already`);
  const partitions = (await readPartitions(tx)).filter((one) => one.month === month);
  if (partitions.length === 0)
    throw new HistoryRefused('month-unknown', `there is no history of ${month} in the database`);
  if (partitions.length < monthlyTables.length) throw partitionMissing(month);
  if (!(await hasLater(tx, month)))
    throw new HistoryRefused(
      'month-not-over',
      `${month} may not be over: no event of a later month has been stored, or it has not reached the history yet`,
    );
  const { rows: parked } = await tx.query(`select from parked_events where projection = 'history' limit 1`);
  if (parked.length > 0)
    throw new HistoryRefused(
      'events-parked',
      'events of the history are parked and may belong to this month: retry or skip them first (grantbook parked list)',
    );
  await refuseVersions(tx);
};

/** Other versions have the month or not, as the live tables did when they were built. */
export const refuseVersions = async (tx: Tx): Promise<void> => {
  const { rows: versions } = await tx.query<{ version: number }>(
    `select version from projection_versions where name = 'history' and state <> 'live' order by version`,
  );
  const [first] = versions;
  if (first)
    throw new HistoryRefused(
      'versions-beside',
      `there are versions of history beside the live one: drop them first (grantbook projections drop history --version ${first.version})`,
    );
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

const countRows = async (tx: Tx, month: Month): Promise<Record<MonthlyTable, number>> => {
  const count = async (table: MonthlyTable) => {
    const [from, end] = boundsOf(month);
    const text = `select count(*)::int as rows from ${table} where created >= $1 and created < $2`;
    return (await tx.query<{ rows: number }>(text, [from, end])).rows[0]?.rows ?? 0;
  };
  return {
    history_events: await count('history_events'),
    history_references: await count('history_references'),
  };
};

const rowsAtOnce = 5_000;

/** @returns the digest */
async function* textsOf(
  tx: Tx,
  month: Month,
  counts: Readonly<Record<MonthlyTable, number>>,
): AsyncGenerator<string, string> {
  const digest = makeDigest();
  const told = (lines: readonly string[]): string => {
    for (const line of lines) digest.add(line);
    return lines.map((line) => `${line}\n`).join('');
  };
  yield told([JSON.stringify(headerOf(month, counts))]);
  for (const table of monthlyTables) for await (const lines of linesOf(tx, month, table)) yield told(lines);
  const sha256 = digest.hex();
  yield `${JSON.stringify({ sha256 })}\n`;
  return sha256;
}

async function* linesOf(tx: Tx, month: Month, table: MonthlyTable): AsyncGenerator<readonly string[]> {
  const columns = archivedColumns[table].map((name) => `${name}::text`).join(', ');
  const [from, end] = boundsOf(month);
  await tx.query('begin');
  try {
    await tx.query(
      `declare archived no scroll cursor for
       select json_build_array(${columns})::text as line from ${table}
       where created >= ${from} and created < ${end} order by ${keys[table]}`,
    );
    for (;;) {
      const { rows } = await tx.query<{ line: string }>(`fetch ${rowsAtOnce} from archived`);
      if (rows.length === 0) return;
      yield rows.map(({ line }) => line);
    }
  } finally {
    await tx.query('rollback');
  }
}

const keys: Readonly<Record<MonthlyTable, string>> = {
  history_events: 'position',
  history_references: 'position, kind, id',
};

/** The projector waits until this is done; readers wait only while the catalog is changed. */
const detach = async (tx: Tx, archived: Archived, now: number): Promise<void> => {
  const { month, file, events, references, sha256 } = archived;
  await inTransaction(tx, async () => {
    await tx.query(`set local lock_timeout = '5s'`);
    await tx.query('select from checkpoints where name = $1 for update', [historyGroup]);
    const counts = await countRows(tx, month);
    if (counts.history_events !== events || counts.history_references !== references)
      throw new HistoryRefused(
        'month-not-over',
        `${month} has changed while it was written: archive it again`,
      );
    const [from, end] = boundsOf(month);
    await tx.query(
      `insert into history_archives (month, events, refs, first_position, last_position, sha256, file, archived_at)
       select $1, $2, $3, min(first), max(last), $4, $5, $6
       from (select min(position), max(position) from history_events where created >= $7 and created < $8
             union all
             select min(position), max(position) from history_references where created >= $7 and created < $8) as of (first, last)`,
      [month, events, references, sha256, file, now, from, end],
    );
    for (const { schema, table } of (await readPartitions(tx)).filter((one) => one.month === month)) {
      const partition = `${schema}.${partitionOf(table, month)}`;
      await tx.query(`alter table ${schema}.${table} detach partition ${partition}`);
      await tx.query(`drop table ${partition}`);
    }
  }).catch((error: unknown) => {
    throw (error as { code?: unknown }).code === '55P03' ? inUse() : error;
  });
};

export const inUse = () =>
  new HistoryRefused(
    'tables-in-use',
    'the tables are locked by a long transaction: nothing was changed in the database, try again',
  );
