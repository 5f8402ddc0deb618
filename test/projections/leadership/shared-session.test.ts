import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { inTransaction } from '../../../src/common/transaction.ts';
import { leadershipBounds } from '../../../src/projections/leadership/leadership-bounds.ts';
import { openLeaderSession, type LeaderSession } from '../../../src/projections/leadership/leader-session.ts';
import { makeSharedSession } from '../../../src/projections/leadership/shared-session.ts';
import { migratedDatabase, type TestDatabase } from '../../support/servers/databases.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { valuesOf } from '../../support/query.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await migratedDatabase();
  onTestFinished(() => database.drop());
});

const dependencies = (name: string) => ({
  databaseUrl: database.url,
  name,
  bounds: leadershipBounds,
  logger: quietLogger(),
  signal: new AbortController().signal,
});
const closing = (session: LeaderSession): LeaderSession => {
  onTestFinished(() => session.close());
  return session;
};
const sessions = async () =>
  valuesOf(
    database.url,
    `select count(*)::int from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
const locked = async (name: string): Promise<boolean> => {
  const session = await openLeaderSession(dependencies(name));
  const isFree = await session.tryLock();
  await session.close();
  return !isFree;
};

test('FX-71: several leaders have their locks on one session; each releases its own, and the last closes it', async () => {
  const open = makeSharedSession();
  const [a, b] = await Promise.all(['a', 'b'].map((name) => open(dependencies(name)).then(closing)));
  expect([await a?.tryLock(), await b?.tryLock(), await sessions()]).toEqual([true, true, [1]]);
  expect([a?.stillHolds(), await locked('a'), await locked('b')]).toEqual([true, true, true]);
  await a?.close();
  expect([await locked('a'), await locked('b')]).toEqual([false, true]);
  await b?.close();
  await expect.poll(sessions).toEqual([0]);
  const again = closing(await open(dependencies('a')));
  expect(await again.tryLock()).toBe(true);
});

test('a transaction of one is not joined by what others write meanwhile', async () => {
  const open = makeSharedSession();
  const [a, b] = [closing(await open(dependencies('a'))), closing(await open(dependencies('b')))];
  const add = (name: string) => `insert into checkpoints (name, lease_epoch) values ('${name}', 1)`;
  let others: Promise<unknown> = Promise.resolve();
  const undone = inTransaction(a.tx, async () => {
    await a.tx.query(add('undone'));
    others = Promise.all([b.tx.query(add('kept')), inTransaction(b.tx, () => b.tx.query(add('kept, too')))]);
    await a.tx.query('select pg_sleep(0)');
    throw new Error('never mind');
  });
  await expect(undone).rejects.toThrow('never mind');
  await others;
  await expect(inTransaction(a.tx, () => a.tx.query('select broken'))).rejects.toThrow('broken');
  expect(await b.tryLock()).toBe(true);
  expect(await valuesOf(database.url, 'select name from checkpoints order by 1')).toEqual([
    'kept',
    'kept, too',
  ]);
});

test('when it is lost, all who share it are told, and the next ones get another', async () => {
  const open = makeSharedSession();
  const [a, b] = [closing(await open(dependencies('a'))), closing(await open(dependencies('b')))];
  await Promise.all([a.tryLock(), b.tryLock()]);
  await valuesOf(
    database.url,
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'grantbook upkeep%'`,
  );
  await expect.poll(() => [a.lost.aborted, b.lost.aborted]).toEqual([true, true]);
  const next = closing(await open(dependencies('a')));
  expect([await next.tryLock(), next.lost.aborted]).toEqual([true, false]);
  await a.close();
  await b.close();
  expect(next.stillHolds()).toBe(true);
});

test('whoever cannot connect is refused, and the next one tries again', async () => {
  const open = makeSharedSession();
  const away = { ...dependencies('a'), databaseUrl: 'postgres://127.0.0.1:1/none' };
  const tries = await Promise.allSettled([open(away), open(away)]);
  expect(tries.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await closing(await open(dependencies('a'))).tryLock()).toBe(true);
});
