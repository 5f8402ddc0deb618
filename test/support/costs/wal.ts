import pg from 'pg';
import { asAdmin } from '../../../packages/eventstore-node/test/support/databases.ts';

/** What was written to the write-ahead log for one database. */
export type Wal = {
  /** Rows that were inserted, updated or deleted, by table; months of one table together. */
  readonly rows: Readonly<Record<string, number>>;
  /** Without images of whole pages, which depend on when the last checkpoint was, and without ends of transactions. */
  readonly bytes: number;
};

/** @returns what `work` writes to each of the databases. Others of the same server may be written meanwhile. */
export const walOf = async (
  databaseUrls: readonly string[],
  work: () => Promise<void>,
): Promise<readonly Wal[]> => {
  await asAdmin((admin) => admin.query('create extension if not exists pg_walinspect'));
  const from = await lsn();
  await work();
  const until = await lsn();
  return Promise.all(databaseUrls.map((url) => writtenTo(url, from, until)));
};

const writtenTo = async (url: string, from: string, until: string): Promise<Wal> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: tables } = await client.query<{ file: string; name: string; database: string }>(
    `select pg_relation_filenode(pg_class.oid)::text as file, relname as name, pg_database.oid::text as database
     from pg_class, pg_database where relkind = 'r' and datname = current_database()`,
  );
  await client.end();
  const names = new Map(tables.map(({ file, name }) => [file, name.replace(/_\d{4}_\d{2}$/, '')]));
  const { rows: records } = await asAdmin((admin) =>
    admin.query<Written>(written, [from, until, `/${tables[0]?.database}/`]),
  );
  const rows: Record<string, number> = {};
  for (const { file, changed } of records) {
    const name = names.get(file) ?? file;
    if (changed > 0) rows[name] = (rows[name] ?? 0) + changed;
  }
  return { rows, bytes: records.reduce((sum, { bytes }) => sum + bytes, 0) };
};

type Written = { readonly file: string; readonly changed: number; readonly bytes: number };

const written = `
select substring(block_ref from 'rel [0-9]+/[0-9]+/([0-9]+)') as file,
       (count(*) filter (where resource_manager = 'Heap' and record_type ~ '^(INSERT|UPDATE|HOT_UPDATE|DELETE)'))::int as changed,
       sum(record_length - fpi_length)::int as bytes
from pg_get_wal_records_info($1, $2)
where strpos(block_ref, $3) > 0
group by 1`;

/** The end of what is written, once it is on disk. */
const lsn = (): Promise<string> =>
  asAdmin(async (admin) => {
    const { rows } = await admin.query<{ lsn: string }>('select pg_current_wal_insert_lsn()::text as lsn');
    const at = rows[0]?.lsn ?? '';
    for (;;) {
      const { rows: looked } = await admin.query<{ done: boolean }>(
        'select pg_current_wal_flush_lsn() >= $1::pg_lsn as done from pg_sleep(0.02)',
        [at],
      );
      if (looked[0]?.done) return at;
    }
  });
