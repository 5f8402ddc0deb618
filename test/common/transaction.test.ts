import { EventEmitter, once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { inPoolTransaction } from '../../src/common/transaction.ts';
import { makeWritePool } from '../../src/projections/database/write-pool.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { freshDatabase } from '../support/servers/databases.ts';

const database = await freshDatabase();
afterAll(() => database.drop());

test('SG-11: a process that stands still within a transaction does not keep its locks: another one goes on', async () => {
  const pools = [0, 1].map(() => makeWritePool({ databaseUrl: database.url, logger: quietLogger() }));
  const [still, other] = pools as [(typeof pools)[0], (typeof pools)[0]];
  await still.query('create table streams as select 1 as id');
  const signals = new EventEmitter();
  const [locked, standing] = [once(signals, 'locked'), once(signals, 'goes on')];
  const stuck = inPoolTransaction(still, async (client) => {
    await client.query('select from streams for update');
    signals.emit('locked');
    await standing;
    await client.query('select 1');
  });
  await locked;
  const { rowCount } = await inPoolTransaction(other, (client) =>
    client.query('select from streams for update'),
  );
  expect(rowCount).toBe(1);
  signals.emit('goes on');
  await expect(stuck).rejects.toThrow(/connection/i);
  await Promise.all(pools.map((pool) => pool.end()));
});
