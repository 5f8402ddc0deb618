import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { to as copyTo } from 'pg-copy-streams';
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
import { HistoryRefused, partitionMissing } from './refusal.ts';

export type Archived = {
  readonly month: Month;
  /** The manifest: JSON that names the two files next to it, with their columns, rows and SHA-256. */
  readonly file: string;
  readonly events: number;
  readonly references: number;
  /** Of the manifest. */
  readonly sha256: string;
};

type ArchivedTable = {
  readonly table: MonthlyTable;
  readonly file: string;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly sha256: string;
};

type Parts<T> = AsyncGenerator<string | Buffer, T> | Generator<string | Buffer, T>;

export type ArchiveDependencies = {
  /** Of the session that holds the lock. */
  readonly tx: Tx;
  readonly source: Tx;
  readonly now: () => number;
  /** Writes a new file, completely or not at all; null when a file of that name exists. */
  readonly write: <T>(file: string, parts: Parts<T>) => Promise<T | null>;
};

/**
 * Writes a month's references into files of a folder and then removes them from the database: whatever interrupts it,
 * they are in one of the two. The manifest is written last. @throws HistoryRefused
 */
export const archiveMonth = async (
  { tx, source, write, now }: ArchiveDependencies,
  month: Month,
  folder: string,
): Promise<Archived> => {
  await refuseUnready(tx, month);
  const counts = await countRows(tx, month);
  const writeNew = async <T>(name: string, parts: Parts<T>): Promise<T> => {
    const written = await write(join(folder, name), parts);
    if (written !== null) return written;
    throw new HistoryRefused(
      'file-exists',
      `${join(folder, name)} is there already, and an archive replaces nothing: ${month} is still in the database`,
    );
  };
  const tables: ArchivedTable[] = [];
  for (const table of monthlyTables) {
    const file = `history-${month}.${table}.copy`;
    tables.push(await writeNew(file, copied(source, month, { table, file, rows: counts[table] })));
  }
  const manifest = `history-${month}.json`;
  const sha256 = await writeNew(manifest, manifestOf(month, tables));
  const { history_events: events, history_references: references } = counts;
  const archived: Archived = { month, file: join(folder, manifest), events, references, sha256 };
  await detach(tx, archived, now());
  return archived;
};

const changedMeanwhile = (month: Month): HistoryRefused =>
  new HistoryRefused('month-not-over', `${month} has changed while it was written: archive it again`);

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
const refuseVersions = async (tx: Tx): Promise<void> => {
  const { rows: versions } = await tx.query<{ version: number }>(
    `select version from projection_versions where name = 'history' and state <> 'live' order by version`,
  );
  const [first] = versions;
  if (first)
    throw new HistoryRefused(
      'versions-beside',
      `there are other versions of history: drop them first (grantbook projections drop history --version ${first.version})`,
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

/** PostgreSQL's text format of COPY, in the order of the key. @returns what the manifest says of it */
async function* copied(
  source: Tx,
  month: Month,
  { table, file, rows }: Pick<ArchivedTable, 'table' | 'file' | 'rows'>,
): AsyncGenerator<Buffer, ArchivedTable> {
  const [from, end] = boundsOf(month);
  const columns = archivedColumns[table];
  const digest = createHash('sha256');
  const stream = source.query(
    copyTo(
      `copy (select ${columns.join(', ')} from ${table} where created >= ${from} and created < ${end} order by ${keys[table]}) to stdout`,
    ),
  );
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    digest.update(chunk);
    yield chunk;
  }
  if (stream.rowCount !== rows) throw changedMeanwhile(month);
  return { table, file, columns, rows, sha256: digest.digest('hex') };
}

function* manifestOf(month: Month, tables: readonly ArchivedTable[]): Generator<string, string> {
  const text = `${JSON.stringify({ format: 'grantbook-history', version: 1, month, tables }, null, 2)}\n`;
  yield text;
  return createHash('sha256').update(text).digest('hex');
}

const archivedColumns: Readonly<Record<MonthlyTable, readonly string[]>> = {
  history_events: [
    'stream',
    'position',
    'created',
    'organization_key',
    'addon_key',
    'user_key',
    'revision',
    'type',
    'actor',
  ],
  history_references: ['kind', 'id', 'position', 'created', 'stream', 'revision', 'type', 'actor'],
};

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
      throw changedMeanwhile(month);
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

const inUse = () =>
  new HistoryRefused(
    'tables-in-use',
    'the tables are locked by a long transaction: nothing was changed in the database, try again',
  );
