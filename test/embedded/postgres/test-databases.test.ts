import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from '../../support/databases.ts';

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
