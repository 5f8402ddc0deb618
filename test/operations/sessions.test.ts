import { expect, onTestFinished, test } from 'vitest';
import { startTestServers } from '../support/test-servers.ts';
import { valuesOf } from '../support/query.ts';
import { makeAddon, makeCast, run } from './running.ts';

test('FX-71: an instance holds no more sessions than DATABASE_SESSIONS, however much is asked of it', async () => {
  const { stores, database } = await startTestServers(onTestFinished);
  const instance = await run(stores, { DATABASE_SESSIONS: '26' });
  onTestFinished(() => instance.stop());
  await instance.workers.ready;
  const { core } = instance;
  const { token } = await makeAddon(core, await makeCast(core));
  const count = async () => {
    const [sessions] = await valuesOf(
      database.url,
      `select count(*)::int from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    return Number(sessions);
  };
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
  expect(Math.max(...counts, await count())).toBeLessThanOrEqual(26);
  expect(core.pool.options.max).toBe(2);
}, 60_000);
