import { afterAll, expect, onTestFinished, test } from 'vitest';
import { inPoolTransaction } from '../../../src/common/transaction.ts';
import { makePipelinedReader } from '../../../src/projections/database/pipelined-reader.ts';
import { makeWritePool } from '../../../src/projections/database/write-pool.ts';
import { freshDatabase } from '../../support/servers/databases.ts';
import { query, valuesOf } from '../../support/query.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

const database = await freshDatabase();
afterAll(() => database.drop());
const needs = { databaseUrl: database.url, logger: quietLogger() };

test.each(['40001', '40P01'])(
  'FX-75: what lost against another transaction (%s) is tried again',
  async (code) => {
    await query(
      database.url,
      `create sequence tries_${code};
     create function lose_${code}() returns bigint language plpgsql as $$
     begin
       if nextval('tries_${code}') % 3 > 0 then raise exception 'lost' using errcode = '${code}'; end if;
       return currval('tries_${code}');
     end $$`,
    );
    const [pool, reader] = [makeWritePool(needs), makePipelinedReader(needs)];
    onTestFinished(async () => void (await Promise.all([pool.end(), reader.close()])));
    const text = `select lose_${code}()::int as n`;
    expect((await pool.query(text)).rows).toEqual([{ n: 3 }]);
    expect((await inPoolTransaction(pool, (tx) => tx.query(text))).rows).toEqual([{ n: 6 }]);
    expect(await reader.query({ name: 'lose', text }, [])).toEqual([{ n: 9 }]);
  },
);

test('FX-71: a connection that nobody reads with is closed, and the next read opens another', async () => {
  const reader = makePipelinedReader({ ...needs, connections: 2, idleMs: 50 });
  onTestFinished(() => reader.close());
  const one = { name: 'one', text: `select 1 as one` };
  const sessions = `select count(*)::int from pg_stat_activity where query like 'select 1 as one%' and datname = current_database()`;
  await Promise.all([reader.query(one, []), reader.query(one, [])]);
  await expect.poll(() => valuesOf(database.url, sessions)).toEqual([0]);
  expect(await reader.query(one, [])).toEqual([{ one: 1 }]);
});
