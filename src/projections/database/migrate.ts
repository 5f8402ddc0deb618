import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { inTransaction } from '../../common/transaction.ts';
import { withClient } from '../../common/with-client.ts';
import { tellAgainAndAgain } from '../follow/tell-progress.ts';
import { refuseUnwritable } from './own-schema.ts';

export type MigrationProgress = {
  /** The name of the running migration, or `waiting` for another process that migrates. */
  readonly now: string;
  readonly done: number;
  readonly of: number;
  readonly seconds: number;
  readonly perMinute: number;
  /** Assumes that each takes as long as those before; null while unknown. */
  readonly secondsLeft: number | null;
};

type File = { readonly name: string; readonly sha256: string };

/** Of the session that migrates; another one in this database waits for it. */
export const migrationLock = 7_241_865_325_823_964;

/**
 * Brings the database to the newest schema, one instance at a time; a newer one stays: migrations only add (ADR 45). @param told every `everyMs`
 * milliseconds @returns what ran @throws MigrationEdited for a changed or missing file, DatabaseTooNew, SchemaUnwritable: nothing was run
 */
export const migrate = (
  databaseUrl: string,
  migrationsDir: string,
  told: (progress: MigrationProgress) => void = () => undefined,
  everyMs = 10_000,
): Promise<readonly string[]> => {
  const way = followMigration();
  const telling = tellAgainAndAgain(() => told(way.progress()), { firstMs: everyMs, everyMs });
  return withClient({ connectionString: databaseUrl }, async (client) => {
    await refuseUnwritable(client);
    const files = await filesIn(migrationsDir);
    const { pending, isInPlace } = await compareRecords(client, files);
    if (pending.length === 0 && isInPlace) return [];
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    return migrateLocked({ client, migrationsDir, files }, way);
  }).finally(() => telling.stop());
};

/** Version edcbc79 refuses unknown names in `migration_checksums`: later migrations have a table of their own. */
const firstOfNewer = '0020';

const prepareRecords = `
  create table if not exists migrations (id serial primary key, name varchar(255) not null, run_on timestamp not null);
  create table if not exists migration_checksums (name text collate "C" primary key, sha256 text not null);
  create table if not exists newer_migration_checksums (name text collate "C" primary key, sha256 text not null);
  with moved as (delete from migration_checksums where name >= '${firstOfNewer}' returning name, sha256)
  insert into newer_migration_checksums select * from moved on conflict (name) do nothing`;

/** Which have not run, and whether the rest is recorded where `prepareRecords` puts it. @throws MigrationEdited, DatabaseTooNew */
const compareRecords = async (client: Client, files: readonly File[]) => {
  const [first, newer] = await recordedFiles(client);
  const recorded = [...first, ...newer];
  refuseEdited(files, recorded);
  refuseTooNew(files, recorded);
  const done = new Set(recorded.map(({ name }) => name));
  const pending = files.filter(({ name }) => !done.has(name));
  return { pending, isInPlace: first.every(({ name }) => name < firstOfNewer) };
};

type Migrating = {
  readonly client: Client;
  readonly migrationsDir: string;
  readonly files: readonly File[];
};

/** Each in a transaction with its records. */
const migrateLocked = async (
  { client, migrationsDir, files }: Migrating,
  way: ReturnType<typeof followMigration>,
): Promise<readonly string[]> => {
  await client.query(prepareRecords);
  const { pending } = await compareRecords(client, files);
  for (const [done, file] of pending.entries()) {
    const name = file.name.slice(0, -'.sql'.length);
    way.begins(name, done, pending.length);
    await inTransaction(client, async () => {
      await client.query(await readFile(join(migrationsDir, file.name), 'utf8'));
      await client.query('insert into migrations (name, run_on) values ($1, now())', [name]);
      const table = file.name < firstOfNewer ? 'migration_checksums' : 'newer_migration_checksums';
      await client.query(`insert into ${table} values ($1, $2)`, [file.name, file.sha256]);
    });
  }
  return pending.map(({ name }) => name.slice(0, -'.sql'.length));
};

const followMigration = () => {
  const began = performance.now();
  let [now, done, of] = ['waiting', 0, 0];
  return {
    begins: (...begun: readonly [name: string, done: number, of: number]) => void ([now, done, of] = begun),
    progress: (): MigrationProgress => {
      const seconds = (performance.now() - began) / 1000;
      return {
        now,
        done,
        of,
        seconds: Math.round(seconds),
        perMinute: Math.round((done / Math.max(seconds, 0.001)) * 60),
        secondsLeft: done === 0 ? null : Math.ceil(((of - done) / done) * seconds),
      };
    },
  };
};

const filesIn = async (dir: string): Promise<readonly File[]> => {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => ({
      name,
      sha256: createHash('sha256')
        .update(await readFile(join(dir, name)))
        .digest('hex'),
    })),
  );
};

/** Of each of the two tables. */
const recordedFiles = (client: Client) =>
  Promise.all([recordsIn(client, 'migration_checksums'), recordsIn(client, 'newer_migration_checksums')]);

const recordsIn = async (client: Client, table: string): Promise<readonly File[]> => {
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    table,
  ]);
  if (!rows[0]?.there) return [];
  return (await client.query<File>(`select name, sha256 from ${table} order by name`)).rows;
};

const refuseEdited = (files: readonly File[], recorded: readonly File[]): void => {
  const now = new Map(files.map(({ name, sha256 }) => [name, sha256]));
  const newest = newestOf(files);
  const edited = recorded.find(
    ({ name, sha256 }) => now.get(name) !== sha256 && (now.has(name) || numberOf(name) <= newest),
  );
  if (edited === undefined) return;
  throw new MigrationEdited(
    `Migration ${edited.name} has already run on this database and has ${now.has(edited.name) ? 'changed' : 'disappeared'} since. ` +
      'Restore the file and put the change into a new migration.',
  );
};

const numberOf = (name: string): number => Number(name.slice(0, 4));

const newestOf = (files: readonly File[]): number => Math.max(0, ...files.map(({ name }) => numberOf(name)));

/** The newest migration that a version must have to work after this one; null for one that only adds. */
export const neededBy = (name: string): number | null => {
  const [, needed] = /\.needs-(\d{4})\.sql$/.exec(name) ?? [];
  return needed === undefined ? null : Number(needed);
};

const tooNewFor = (files: readonly File[], recorded: readonly File[]): readonly File[] => {
  const newest = newestOf(files);
  return recorded.filter(({ name }) => (neededBy(name) ?? 0) > newest);
};

const refuseTooNew = (files: readonly File[], recorded: readonly File[]): void => {
  const [file] = tooNewFor(files, recorded);
  if (file === undefined) return;
  throw new DatabaseTooNew(
    `This version is too old for the database: migration ${file.name} of a newer one has removed what it needs. ` +
      `Run a version that has migration ${String(neededBy(file.name)).padStart(4, '0')}.`,
  );
};

/** What a migration would do, by name; nothing is changed. `tooNew`: this version cannot run with these. */
export const compareMigrations = async (
  client: Client,
  migrationsDir: string,
): Promise<Readonly<Record<'pending' | 'edited' | 'newer' | 'tooNew', readonly string[]>>> => {
  const files = await filesIn(migrationsDir);
  const recorded = (await recordedFiles(client)).flat();
  const ran = new Map(recorded.map(({ name, sha256 }) => [name, sha256]));
  const known = new Set(files.map(({ name }) => name));
  return {
    pending: files.filter(({ name }) => !ran.has(name)).map(({ name }) => name),
    edited: files
      .filter(({ name, sha256 }) => ran.has(name) && ran.get(name) !== sha256)
      .map(({ name }) => name),
    newer: recorded.filter(({ name }) => !known.has(name)).map(({ name }) => name),
    tooNew: tooNewFor(files, recorded).map(({ name }) => name),
  };
};

/** A newer version has removed something from the schema. */
export class DatabaseTooNew extends Error {
  override readonly name = 'DatabaseTooNew';
}

/** The migration files no longer match those that ran on this database. */
export class MigrationEdited extends Error {
  override readonly name = 'MigrationEdited';
}
