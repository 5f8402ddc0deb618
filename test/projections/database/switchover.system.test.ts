import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { classifyFailure } from '../../../src/http/answers/failures.ts';
import { makeDatabaseGeneration } from '../../../src/projections/database/database-generation.ts';
import { guardGeneration } from '../../../src/projections/database/generation-guard.ts';
import { startListening } from '../../../src/projections/database/listener.ts';
import { openLeaderSession } from '../../../src/projections/leadership/leader-session.ts';
import { leadershipBounds } from '../../../src/projections/leadership/leadership-bounds.ts';
import { makePipelinedReader } from '../../../src/projections/database/pipelined-reader.ts';
import { startWatchingDatabase } from '../../../src/projections/database/watch-database.ts';
import { makeWritePool } from '../../../src/projections/database/write-pool.ts';
import { withClient } from '../../../src/common/with-client.ts';
import { reachDatabase } from '../../../src/process/start-checks.ts';
import { freshDatabase, type TestDatabase } from '../../support/servers/databases.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { allowTrouble, expectTrouble } from '../../support/trouble/expect-trouble.ts';

allowTrouble(/an idle connection to the database was lost .*DatabaseNotCurrent/);

let server: TestDatabase;
beforeEach(async () => {
  server = await freshDatabase();
  onTestFinished(() => server.drop());
});

const statement = { name: 'one', text: 'select 1 as one' };

/** One of each connection that lives longer than a request. */
const openAll = async () => {
  const [database, logger] = [makeDatabaseGeneration(), quietLogger()];
  const databaseUrl = server.url;
  const pool = makeWritePool({ databaseUrl, logger, database });
  const reader = makePipelinedReader({ databaseUrl, logger, database });
  let connected = 0;
  const listening = startListening({ databaseUrl, database, logger });
  listening.on('signals', {
    heard: () => undefined,
    connected: () => Promise.resolve(void (connected += 1)),
  });
  const stopping = new AbortController();
  const leading = { name: 'anything', bounds: leadershipBounds, logger, signal: stopping.signal };
  const leader = await openLeaderSession({ ...leading, databaseUrl, database });
  let releaseHeld = () => {};
  onTestFinished(async () => {
    await Promise.all([listening.close(), leader.close(), reader.close()]);
    releaseHeld();
    await pool.end();
  });
  const held = await pool.connect();
  releaseHeld = () => held.release(true);
  await pool.query('select 1'); // on another connection, which is idle then
  await reader.query(statement, []);
  await expect.poll(() => connected).toBe(1);
  return { database, logger, pool, reader, leader, held, listeners: () => connected };
};

const sessions = () =>
  withClient({ connectionString: server.url }, async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    return rows.map(({ pid }) => pid);
  });

const untilClosed = async (before: readonly number[]) => {
  expect(before).toHaveLength(5);
  await expect.poll(async () => (await sessions()).filter((pid) => before.includes(pid))).toEqual([]);
};

const makeReadOnly = (value: 'on' | 'off') =>
  withClient({ connectionString: server.url }, async (client) => {
    const name = new URL(server.url).pathname.slice(1);
    await client.query(
      `begin read write; alter database ${name} set default_transaction_read_only = ${value}; commit`,
    );
  });

const failureOf = (call: Promise<unknown>) => call.then(() => 'answered', classifyFailure);

test('FX-30: a new generation closes every connection of the one before, idle or in use', async () => {
  const { database, pool, reader, leader, held, listeners } = await openAll();
  const before = await sessions();
  database.wentBack();
  await untilClosed(before);
  expect(leader.lost.reason).toMatchObject({ name: 'ConnectionLost', cause: { name: 'DatabaseNotCurrent' } });
  expect(await failureOf(held.query('select 1'))).toBe('unavailable');
  expect(await failureOf(pool.query('select 1'))).toBe('answered');
  expect(await failureOf(reader.query(statement, []))).toBe('answered');
  await expect.poll(listeners).toBe(2);
});

test('FX-30: a database that was made read-only is left by all connections, and used again when it accepts writes', async () => {
  expectTrouble(/DATABASE_URL leads to a server that is read-only/);
  const { database, logger, pool, reader } = await openAll();
  const before = await sessions();
  const watching = startWatchingDatabase({ databaseUrl: server.url, database, logger });
  onTestFinished(() => watching.stop());
  await makeReadOnly('on');
  await untilClosed(before);
  expect(await failureOf(pool.query('select 1'))).toBe('unavailable');
  expect(await failureOf(reader.query(statement, []))).toBe('unavailable');
  const said = () =>
    logger.lines.map(({ message }) => message).filter((message) => message.startsWith('DATABASE_URL'));
  await expect.poll(said).toEqual([expect.stringContaining('read-only, or a standby')]);
  await expect(reachDatabase(server.url)).rejects.toThrow('the server of DATABASE_URL is read-only');
  const generation = database.current();
  await makeReadOnly('off');
  expect(await failureOf(reader.query(statement, []))).toBe('answered');
  expect(await failureOf(pool.query('select 1'))).toBe('answered');
  expect(database.current()).toBe(generation + 1); // its fence has to be current before anything is accepted
  await expect.poll(said).toEqual([expect.anything(), expect.stringContaining('accepts writes again')]);
});

test('FX-30: a leader whose server was demoted is lost with the next heartbeat, and with it the generation', async () => {
  const { database, leader } = await openAll();
  expect([leader.lost.aborted, database.current()]).toEqual([false, 0]);
  await leader.tx.query('set default_transaction_read_only = on').catch(() => undefined);
  await expect.poll(() => leader.lost.aborted).toBe(true);
  expect(database.current()).toBe(1);
});

test('FX-30: nothing that tokens depend on is answered by a demoted server, not even once', async () => {
  const { database, reader } = await openAll();
  database.trust(0);
  const guarded = guardGeneration(reader, database);
  expect(await failureOf(guarded.query(statement, []))).toBe('answered');
  // What PostgreSQL does in each session after the setting of the server was changed.
  const demoting = {
    name: 'demoting',
    text: `select set_config('default_transaction_read_only', 'on', false)`,
  };
  expect(await failureOf(guarded.query(demoting, []))).toBe('unavailable');
  expect(database.current()).toBe(1);
});

test('FX-30: without such reports, as behind a pooler, the heartbeat asks', async () => {
  const { logger, database } = await openAll();
  const stopping = new AbortController();
  const bounds = { ...leadershipBounds, heartbeatMs: 20 };
  const alone = { databaseUrl: server.url, name: 'other', bounds, logger, signal: stopping.signal };
  const leader = await openLeaderSession(alone); // it hears of no generation
  onTestFinished(() => leader.close());
  await leader.tx.query('set default_transaction_read_only = on');
  await expect.poll(() => String(leader.lost.reason)).toContain('read-only');
  expect(database.current()).toBe(0);
});
