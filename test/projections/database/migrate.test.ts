import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrate, migrationLock, type MigrationProgress } from '../../../src/projections/database/migrate.ts';
import {
  compareMigrations,
  DatabaseForeign,
  DatabaseTooNew,
  MigrationEdited,
} from '../../../src/projections/database/migration-records.ts';
import { freshDatabase, type TestDatabase } from '../../support/servers/databases.ts';

let database: TestDatabase;
let dir: string;

beforeEach(async () => {
  database = await freshDatabase();
  dir = await mkdtemp(join(tmpdir(), 'migrations-'));
  await cp(fileURLToPath(new URL('../../../src/projections/migrations', import.meta.url)), dir, {
    recursive: true,
  });
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
  await database.drop();
});

const connected = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};
const query = (sql: string) => connected((client) => client.query(sql));

test('an empty database gets the tables, and a second run has nothing to do', async () => {
  expect(await migrate(database.url, dir)).toContain('0001-following-the-log');
  expect(await migrate(database.url, dir)).toEqual([]);
  expect((await query('select * from fence')).rows).toEqual([]);
});

test('instances that start together run each migration once', async () => {
  const ran = await Promise.all([1, 2, 3].map(() => migrate(database.url, dir)));
  expect(ran.filter((names) => names.length > 0)).toHaveLength(1);
});

test('a migration that was edited after it ran is refused by name, and nothing runs', async () => {
  await migrate(database.url, dir);
  await writeFile(join(dir, '0001-following-the-log.sql'), 'create table other (id text)');
  await writeFile(join(dir, '0999-next.sql'), 'create table next (id text)');
  const attempt = migrate(database.url, dir);
  await expect(attempt).rejects.toThrow(MigrationEdited);
  await expect(attempt).rejects.toThrow(/0001-following-the-log\.sql .* has changed/);
  expect((await query(`select to_regclass('next') as found`)).rows).toEqual([{ found: null }]);
});

test('OP-11: a database to which a newer version has added is taken as it is, and one from which it took away is refused', async () => {
  await writeFile(join(dir, '0998-more.sql'), 'alter table addons add column colour text');
  await migrate(database.url, dir);
  await rm(join(dir, '0998-more.sql'));
  expect(await migrate(database.url, dir)).toEqual([]);
  expect((await query('select colour from addons')).rows).toEqual([]);

  await writeFile(join(dir, '0998-more.sql'), 'alter table addons add column colour text');
  await writeFile(join(dir, '0999-less.needs-0998.sql'), 'drop table outages');
  expect(await migrate(database.url, dir), 'a neighbour may still need it').toEqual([]);
  expect(await connected((client) => compareMigrations(client, dir))).toMatchObject({
    pending: [],
    unfinished: ['0999-less.needs-0998.sql'],
  });
  expect(await migrate(database.url, dir, { finish: true })).toEqual(['0999-less.needs-0998']);
  await rm(join(dir, '0999-less.needs-0998.sql'));
  expect(await migrate(database.url, dir), 'the neighbour of the one that took away').toEqual([]);
  await rm(join(dir, '0998-more.sql'));
  const attempt = migrate(database.url, dir);
  await expect(attempt).rejects.toThrow(DatabaseTooNew);
  await expect(attempt).rejects.toThrow(/0999-less\.needs-0998\.sql .* has migration 0998/);
});

/** Everything in the schema, with what was recorded. */
const contents = async () => [
  (
    await query(
      `select relname, relkind from pg_class where relnamespace = 'public'::regnamespace order by 1`,
    )
  ).rows,
  (await query('select * from migrations order by 1')).rows,
];

describe('a database that no version can have made is refused with what to do, and nothing is changed', () => {
  const recordsBefore = `create table migrations (id serial primary key, name varchar(255) not null, run_on timestamp not null);
    insert into migrations (name, run_on) values ('0001-fence-and-checkpoints', now());`;
  test.each([
    ['with the records of another kind', recordsBefore],
    [
      'with checksums of their own',
      `${recordsBefore} create table migration_checksums (name text primary key, sha256 text not null);
       create table newer_migration_checksums (name text primary key, sha256 text not null)`,
    ],
  ])('%s: it was made before 1.0.0', async (_kind, made) => {
    await query(`create table checkpoints (name text primary key); ${made}`);
    const before = await contents();
    const attempt = migrate(database.url, dir);
    await expect(attempt).rejects.toThrow(DatabaseForeign);
    await expect(attempt).rejects.toThrow(
      /^This version cannot use the database of DATABASE_URL, in which it changed nothing: it was made before version 1\.0\.0, and nothing converts it; use an empty database$/,
    );
    await expect(connected((client) => compareMigrations(client, dir))).rejects.toThrow(DatabaseForeign);
    expect(await contents()).toEqual(before);
  });

  test('with tables but without any record', async () => {
    await migrate(database.url, dir);
    await query('delete from migrations');
    await expect(migrate(database.url, dir)).rejects.toThrow(/it was made before version 1\.0\.0/);
    await query('drop table migrations');
    await expect(migrate(database.url, dir)).rejects.toThrow(/it was made before version 1\.0\.0/);
    expect((await query(`select to_regclass('migrations') as found`)).rows).toEqual([{ found: null }]);
  });

  test('with a migration that this version lacks and that is not newer', async () => {
    await migrate(database.url, dir);
    await query(`update migrations set name = '0002-other.sql' where name like '0002-%'`);
    const before = await contents();
    const attempt = migrate(database.url, dir);
    await expect(attempt).rejects.toThrow(DatabaseForeign);
    await expect(attempt).rejects.toThrow(
      /no version has the migration 0002-other\.sql, .*; use an empty database$/,
    );
    expect(await contents()).toEqual(before);
  });
});

test('OP-11: what a migration would do is reported by name, and nothing runs', async () => {
  await writeFile(join(dir, '0997-less.needs-0996.sql'), 'create table other (id text)');
  await writeFile(join(dir, '0998-more.sql'), 'create table more (id text)');
  await migrate(database.url, dir);
  await rm(join(dir, '0997-less.needs-0996.sql'));
  await rm(join(dir, '0998-more.sql'));
  await writeFile(join(dir, '0001-following-the-log.sql'), 'create table other (id text)');
  await writeFile(join(dir, '0995-next.sql'), 'create table next (id text)');
  const compared = await connected((client) => compareMigrations(client, dir));
  expect(compared).toEqual({
    isEmpty: false,
    pending: ['0995-next.sql'],
    unfinished: [],
    edited: ['0001-following-the-log.sql'],
    newer: ['0997-less.needs-0996.sql', '0998-more.sql'],
    tooNew: ['0997-less.needs-0996.sql'],
  });
});

test('a migration that fails leaves nothing behind and runs again once it is mended', async () => {
  await migrate(database.url, dir);
  const file = join(dir, '0999-next.sql');
  await writeFile(file, 'create table next (id text); select nonsense;');
  await expect(migrate(database.url, dir)).rejects.toThrow(/nonsense/);
  await writeFile(file, 'create table next (id text)');
  expect(await migrate(database.url, dir)).toEqual(['0999-next']);
});

test('OP-08: how far it is, is reported again and again, also while it waits for another', async () => {
  await migrate(database.url, dir);
  const locks = { waiting: migrationLock, '0998-slow': 1, '0999-slower': 2 };
  for (const [name, lock] of Object.entries(locks).slice(1))
    await writeFile(join(dir, `${name}.sql`), `select pg_advisory_xact_lock(${lock});`);
  const told: MigrationProgress[] = [];
  const other = new Client({ connectionString: database.url });
  await other.connect();
  await other.query('select pg_advisory_lock(unnest($1::bigint[]))', [Object.values(locks)]);
  const migrating = migrate(database.url, dir, { told: (progress) => void told.push(progress), everyMs: 5 });
  for (const [name, lock] of Object.entries(locks)) {
    await expect.poll(() => told.filter(({ now }) => now === name).length).toBeGreaterThan(2);
    await other.query('select pg_advisory_unlock($1)', [lock]);
  }
  await migrating;
  await other.end();
  const first = (name: string) => told.find(({ now }) => now === name);
  expect(first('waiting')).toMatchObject({ done: 0, secondsLeft: null });
  expect(first('0998-slow')).toMatchObject({ done: 0, of: 2 });
  const second = first('0999-slower');
  expect(second).toMatchObject({ done: 1, of: 2 });
  expect([second?.perMinute, second?.secondsLeft].every((number) => Number(number) > 0)).toBe(true);
});
