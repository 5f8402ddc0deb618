import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { freshDatabase, migratedDatabase } from '../../support/servers/databases.ts';

const connected = async (connectionString: string) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
};

test('two fresh databases share nothing', async () => {
  const [one, other] = await Promise.all([freshDatabase(), freshDatabase()]);
  onTestFinished(async () => void (await Promise.all([one.drop(), other.drop()])));
  const client = await connected(one.url);
  await client.query('create table only_here ()');
  const { rows } = await (await connected(other.url)).query(`select to_regclass('only_here') as found`);
  expect(rows).toEqual([{ found: null }]);
});

test('several files that ask at once for a migrated database all get one of their own', async () => {
  const databases = await Promise.all([migratedDatabase(), migratedDatabase(), migratedDatabase()]);
  onTestFinished(async () => void (await Promise.all(databases.map(({ drop }) => drop()))));
  expect(new Set(databases.map(({ url }) => url)).size).toBe(3);
  for (const { url } of databases) {
    const { rowCount } = await (await connected(url)).query('select from migration_checksums');
    expect(rowCount).toBeGreaterThan(0);
  }
});
