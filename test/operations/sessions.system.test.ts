import { expect, onTestFinished, test } from 'vitest';
import { patience } from '../support/patience.ts';
import { startTestServers } from '../support/test-servers.ts';
import { valuesOf } from '../support/query.ts';
import { makeAddon, makeCast, run } from './running.ts';

test('FX-71: an instance holds no more sessions than DATABASE_SESSIONS, however much is asked of it', async () => {
  const { stores, database } = await startTestServers(onTestFinished);
  const instance = await run(stores, { DATABASE_SESSIONS: '20' });
  onTestFinished(() => instance.stop());
  await instance.workers.ready;
  const { core } = instance;
  const { token } = await makeAddon(core, await makeCast(core));
  const count = () => sessionsOf(database.url);
  // Who waits too long for a connection is refused: the bound holds all the same.
  const asked = Promise.allSettled(
    [...Array(20).keys()].flatMap(() => [
      core.pool.query('select pg_sleep(0.01)'),
      core.signInPool.query('select pg_sleep(0.01)'),
      instance.list(token),
    ]),
  );
  const counts = [await count(), await count()];
  await asked;
  expect(Math.max(...counts, await count())).toBeLessThanOrEqual(20);
  expect(core.pool.options.max).toBe(2);
});

test('FX-71: at rest an instance that leads holds at most 10 sessions, one that stands by at most 6', async () => {
  const { stores, database } = await startTestServers(onTestFinished);
  const [leader, standby] = [await run(stores), await run(stores)];
  let stopped: Promise<void> | null = null;
  const stopLeader = () => (stopped ??= leader.stop());
  onTestFinished(async () => void (await Promise.all([stopLeader(), standby.stop()])));
  await Promise.all([leader.workers.ready, standby.workers.ready]);
  const { token } = await makeAddon(leader.core, await makeCast(leader.core));
  for (const instance of [leader, standby]) expect(await instance.list(token)).toBe(200);
  // One of each instance is that which looks for a switchover, every two seconds for a moment; one is of a relay to Kafka.
  const atRest = () => sessionsOf(database.url, `application_name <> 'grantbook switchover'`);
  const waiting = { timeout: 5 * patience, interval: 1_000 };
  await expect.poll(atRest, waiting).toBeLessThanOrEqual(10 - 2 + 6 - 1);
  await stopLeader();
  await expect.poll(atRest, waiting).toBeLessThanOrEqual(10 - 2);
  await expect.poll(() => standby.workers.status().projector?.role).toBe('leading');
});

const sessionsOf = async (databaseUrl: string, which = 'true'): Promise<number> => {
  const [sessions] = await valuesOf(
    databaseUrl,
    `select count(*)::int from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and ${which}`,
  );
  return Number(sessions);
};
