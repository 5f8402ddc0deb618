import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';

type File = { readonly name: string; readonly sha256: string };

export const readMigration = async (dir: string, name: string): Promise<File & { readonly sql: string }> => {
  const sql = await readFile(join(dir, name), 'utf8');
  return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
};

const filesIn = async (dir: string): Promise<readonly File[]> => {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(names.map((name) => readMigration(dir, name)));
};

/** What ran on this database. */
export const prepareRecords = `
  create table if not exists migrations (
    name text collate "C" primary key, sha256 text not null, ran_at timestamptz not null default now())`;

export const recordMigration = 'insert into migrations (name, sha256) values ($1, $2)';

/** Under one snapshot, unlike `to_regclass`: another instance may be migrating. `tables`: of ours, which come with a record. */
const lookAround = `
  select coalesce(bool_or(relname = 'migrations' and exists (
           select from pg_attribute where attrelid = pg_class.oid and attname = 'sha256')), false) as records,
         coalesce(bool_or(relname in ('checkpoints', 'fence')), false) as tables,
         coalesce(bool_or(relname = 'migration_checksums' or relname = 'migrations' and not exists (
           select from pg_attribute where attrelid = pg_class.oid and attname = 'sha256')), false) as early
  from pg_class
  where relname in ('migrations', 'migration_checksums', 'checkpoints', 'fence') and pg_table_is_visible(pg_class.oid)`;

type Found = { readonly records: boolean; readonly tables: boolean; readonly early: boolean };

/** Which migrations ran, by name. @throws DatabaseForeign when no version of this program can have made its tables */
const recordsIn = async (client: Client, files: readonly File[]): Promise<readonly File[]> => {
  const { rows: found } = await client.query<Found>(lookAround);
  const { records, tables, early } = found[0] as Found;
  const text = 'select name, sha256 from migrations order by name';
  const recorded = records ? (await client.query<File>(text)).rows : [];
  if (early || (tables && recorded.length === 0))
    throw new DatabaseForeign('it was made before version 1.0.0, and nothing converts it');
  const names = new Set(files.map(({ name }) => name));
  const newest = newestOf(files);
  const unknown = recorded.find(({ name }) => !names.has(name) && numberOf(name) <= newest);
  if (unknown) throw new DatabaseForeign(`no version has the migration ${unknown.name}, which ran on it`);
  return recorded;
};

const numberOf = (name: string): number => Number(name.slice(0, 4));

const newestOf = (files: readonly File[]): number => Math.max(0, ...files.map(({ name }) => numberOf(name)));

/** The newest migration that a version must have to work after this one; null for one that only adds. */
export const neededBy = (name: string): number | null => {
  const [, needed] = /\.needs-(\d{4})\.sql$/.exec(name) ?? [];
  return needed === undefined ? null : Number(needed);
};

/** By name. `pending`: to be run now; `unfinished`: once no older version runs; `tooNew`: this version cannot run with these. */
export type ComparedMigrations = Readonly<
  Record<'pending' | 'unfinished' | 'edited' | 'newer' | 'tooNew', readonly string[]>
> & {
  /** Nothing has run on this database: there is no older version, either. */
  readonly isEmpty: boolean;
};

/** What a migration would do; nothing is changed. @throws DatabaseForeign */
export const compareMigrations = async (
  client: Client,
  migrationsDir: string,
): Promise<ComparedMigrations> => {
  const files = await filesIn(migrationsDir);
  const recorded = await recordsIn(client, files);
  const ran = new Map(recorded.map(({ name, sha256 }) => [name, sha256]));
  const known = new Set(files.map(({ name }) => name));
  const newest = newestOf(files);
  const namesOf = (some: readonly File[]) => some.map(({ name }) => name);
  const isEmpty = recorded.length === 0;
  const waits = ({ name }: File) => !isEmpty && neededBy(name) !== null;
  const left = files.filter(({ name }) => !ran.has(name));
  return {
    isEmpty,
    pending: namesOf(left.filter((file) => !waits(file))),
    unfinished: namesOf(left.filter(waits)),
    edited: namesOf(files.filter(({ name, sha256 }) => ran.has(name) && ran.get(name) !== sha256)),
    newer: namesOf(recorded.filter(({ name }) => !known.has(name))),
    tooNew: namesOf(recorded.filter(({ name }) => (neededBy(name) ?? 0) > newest)),
  };
};

/** @throws MigrationEdited, DatabaseTooNew */
export const refuseMismatch = ({ edited: [edited], tooNew: [tooNew] }: ComparedMigrations): void => {
  if (edited !== undefined)
    throw new MigrationEdited(
      `Migration ${edited} has already run on this database and has changed since. ` +
        'Restore the file and put the change into a new migration.',
    );
  if (tooNew !== undefined)
    throw new DatabaseTooNew(
      `This version is too old for the database: migration ${tooNew} of a newer one has removed what it needs. ` +
        `Run a version that has migration ${String(neededBy(tooNew)).padStart(4, '0')}.`,
    );
};

/** No released version can have made the tables. */
export class DatabaseForeign extends Error {
  override readonly name = 'DatabaseForeign';
  readonly why: string;
  readonly advice = 'use an empty database';
  constructor(why: string) {
    super(
      `This version cannot use the database of DATABASE_URL, in which it changed nothing: ${why}; use an empty database`,
    );
    this.why = `this version cannot use the database: ${why}`;
  }
}

/** A newer version has removed something from the schema. */
export class DatabaseTooNew extends Error {
  override readonly name = 'DatabaseTooNew';
}

/** The migration files no longer match those that ran on this database. */
export class MigrationEdited extends Error {
  override readonly name = 'MigrationEdited';
}
