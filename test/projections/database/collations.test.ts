import { expect, onTestFinished, test } from 'vitest';
import { databaseChecks } from '../../../src/cli/doctor/database.ts';
import { migratedDatabase } from '../../support/servers/databases.ts';
import { query, valuesOf } from '../../support/query.ts';

test('FX-75: every key is sorted by "C", so that no update of a C library changes its order', async () => {
  const database = await migratedDatabase();
  onTestFinished(() => database.drop());
  expect(
    await valuesOf(
      database.url,
      `select distinct i.indexrelid::regclass || ' ' || sorted_by::regcollation
       from pg_index i join pg_class c on c.oid = i.indrelid, unnest(i.indcollation) as sorted_by
       where c.relnamespace = current_schema()::regnamespace and sorted_by not in (0, '"C"'::regcollation) order by 1`,
    ),
  ).toEqual([]);
});

test('FX-75: doctor names a collation whose version changed', async () => {
  const database = await migratedDatabase();
  onTestFinished(() => database.drop());
  const said = () =>
    databaseChecks(database.url)
      .find(({ check }) => check === 'collations of the database')
      ?.run();
  expect(await said()).toMatchObject([{ state: 'ok' }]);
  await query(
    database.url,
    `update pg_database set datcollversion = '2.28' where datname = current_database()`,
  );
  expect(await said()).toMatchObject([
    {
      state: 'warning',
      found: expect.stringMatching(/^the collation of the database test_\w+ had version 2\.28/) as string,
    },
  ]);
});
