import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pause } from '../../../src/common/backoff.ts';
import { startLeaderElectedWorker } from '../../../src/projections/leadership/leader-elected-worker.ts';
import { limitSession } from '../../../src/projections/database/session-limits.ts';
import { openLeaderSession, type LeaderSession } from '../../../src/projections/leadership/leader-session.ts';
import {
  leadershipBounds,
  type LeadershipBounds,
} from '../../../src/projections/leadership/leadership-bounds.ts';
import {
  migratedDatabase,
  serverOf,
  urlThrough,
  type TestDatabase,
} from '../../support/servers/databases.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { startTcpProxy, type TcpProxy } from '../../support/servers/tcp-proxy.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

let database: TestDatabase;
let wire: TcpProxy;
let logger: ReturnType<typeof quietLogger>;
let opened: LeaderSession[];
let stopping: AbortController;

beforeEach(async () => {
  database = await migratedDatabase();
  wire = await startTcpProxy(serverOf(database.url));
  logger = quietLogger();
  opened = [];
  stopping = new AbortController();
});
afterEach(async () => {
  wire.cut();
  await Promise.all(opened.map((session) => session.close()));
  await wire.close();
  await database.drop();
});

const never = 1_000_000;

const open = async (bounds: Partial<LeadershipBounds> = {}, url = database.url): Promise<LeaderSession> => {
  const session = await openLeaderSession({
    databaseUrl: url,
    name: 'anything',
    bounds: { ...leadershipBounds, ...bounds },
    logger,
    signal: stopping.signal,
  });
  opened.push(session);
  return session;
};
const overTheWire = () => urlThrough(wire, database.url);
/** Asks until it gets the lock; nothing but the server gives it to it. */
const freed = async (standby: LeaderSession) => {
  await expect.poll(() => standby.tryLock(), { interval: 20 }).toBe(true);
};
/** A worker that leads, over the wire, and does nothing. */
const leading = async () => {
  const worker = startLeaderElectedWorker({
    databaseUrl: overTheWire(),
    name: 'anything',
    logger,
    bounds: { pollMs: 20 },
    work: async ({ signal }, progressed) => {
      progressed(null, true);
      await pause(never, signal);
    },
  });
  await worker.caughtUp;
  return worker;
};
const whyLost = ({ lost }: LeaderSession) => String(lost.reason);

test('by construction a silent leader is followed within 5 s, and one that lives has many heartbeats to show it', () => {
  const { heartbeatMs, silenceMs, pollMs, statementMs } = leadershipBounds;
  expect(heartbeatMs + silenceMs + pollMs).toBeLessThan(5_000 - 500); // the next one needs a moment to begin
  expect(silenceMs / heartbeatMs).toBeGreaterThanOrEqual(5);
  expect(statementMs).toBeGreaterThan(silenceMs);
});

test('FX-45: a worker whose database is away tries again at every poll, however long that takes, and is well with the first success', async () => {
  expectTrouble(/starts again after a failure .*ECONNREFUSED/);
  const worker = await leading();
  await wire.leave();
  const failures = () => logger.lines.filter(({ message }) => message === 'starts again after a failure');
  await expect.poll(() => failures().length).toBeGreaterThan(12);
  expect(worker.status().healthy).toBe(false);
  await wire.comeBack();
  await expect.poll(() => worker.status().healthy).toBe(true);
  await worker.stop();
});

test('FX-38: a leadership change is logged in one line with its reason, without a stack', async () => {
  const worker = await leading();
  wire.cut();
  const warnings = () => logger.lines.filter(({ level }) => level !== 'info');
  await expect.poll(() => warnings().length).toBeGreaterThan(0);
  await worker.stop();
  expect(warnings()).toEqual([
    {
      level: 'warn',
      context: {
        reason: expect.stringMatching(/^the connection was lost: .+$/) as string,
        checkpoint: 'anything',
        failures: 1,
        alarm: false,
      },
      message: 'lost leadership, on standby',
    },
  ]);
});

test('one session has the lock; when its end is killed, another gets it', async () => {
  const [leader, standby] = [await open({}, overTheWire()), await open()];
  expect(await leader.tryLock()).toBe(true);
  expect(await standby.tryLock()).toBe(false);
  wire.cut();
  await freed(standby);
  await expect.poll(() => leader.lost.aborted).toBe(true);
});

test('the server frees the lock of a session that falls silent, and the silent one learns why', async () => {
  const [standby, silent] = [await open(), await open({ heartbeatMs: never, silenceMs: 1_000 })];
  expect(await silent.tryLock()).toBe(true);
  await freed(standby);
  await expect.poll(() => whyLost(silent)).toContain('idle-session timeout');
});

test('the server frees the lock of a session that falls silent in a transaction, and nothing of that stays', async () => {
  const [standby, silent] = [await open(), await open({ heartbeatMs: never, silenceMs: 1_000 })];
  expect(await silent.tryLock()).toBe(true);
  await silent.tx.query(`begin; insert into checkpoints (name, lease_epoch) values ('left behind', 1)`);
  await freed(standby);
  await expect.poll(() => whyLost(silent)).toContain('idle-in-transaction timeout');
  expect((await standby.tx.query('select from checkpoints')).rowCount).toBe(0);
  await expect(silent.tx.query('commit')).rejects.toThrow(/connection/i);
});

test('the server frees the lock of a session that hangs up in the middle of a long statement', async () => {
  const [standby, gone] = [await open(), await open({ silenceMs: 1_500, statementMs: never }, overTheWire())];
  expect(await gone.tryLock()).toBe(true);
  const long = gone.tx.query('select pg_sleep(1000)');
  await expect.poll(() => running('pg_sleep')).toBe(1);
  wire.cut();
  await expect(long).rejects.toThrow(/connection/i);
  await freed(standby);
  expect(await running('pg_sleep')).toBe(0);
});

test('a session that the server no longer answers is given up, and whatever waits is notified at once', async () => {
  const session = await open({ heartbeatMs: 50, silenceMs: 300, statementMs: never }, overTheWire());
  wire.freeze();
  await expect.poll(() => session.lost.aborted).toBe(true);
  await expect(session.tx.query('select 1')).rejects.toThrow(/connection/i);
  await session.close();
});

test('whoever is busy elsewhere is not silent: the heart has a timer of its own', async () => {
  const session = await open({ heartbeatMs: 20 });
  await session.tryLock();
  const before = await lastBeat();
  await expect.poll(lastBeat).not.toBe(before);
  await session.tx.query('begin');
  const inTransaction = await lastBeat();
  await expect.poll(lastBeat).not.toBe(inTransaction);
});

test('a statement that hangs is cancelled, and the session goes on', async () => {
  const [holder, session] = [await open(), await open({ statementMs: 100 })];
  await holder.tx.query('begin');
  await holder.tx.query('lock table checkpoints');
  await expect(session.tx.query('select from checkpoints')).rejects.toThrow('statement timeout');
  await holder.tx.query('rollback');
  // On a busy machine, what takes a millisecond is cancelled, too.
  await expect.poll(async () => (await session.tx.query('select from checkpoints')).rowCount).toBe(0);
  expect(session.lost.aborted).toBe(false);
});

test('a server without one of the limits is used all the same, and the log says which is missing', async () => {
  const admin = new Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(`create schema older;
    create view older.pg_settings as select * from pg_catalog.pg_settings where name <> 'idle_session_timeout'`);
  await admin.query(
    `alter database ${new URL(database.url).pathname.slice(1)} set search_path = older, pg_catalog, public`,
  );
  await admin.end();
  expect(await (await open()).tryLock()).toBe(true);
  expect(logger.lines).toMatchObject([{ level: 'warn', context: { missing: ['idle_session_timeout'] } }]);
});

test('a server that goes away while it is asked for its limits does not lack them', async () => {
  const gone = new Error('Connection terminated unexpectedly');
  const client = { query: () => Promise.reject(gone) } as unknown as Client;
  const limiting = limitSession(client, { name: 'anything', bounds: leadershipBounds, logger });
  await expect(limiting).rejects.toThrow(gone);
  expect(logger.lines).toEqual([]);
});

test('nobody waits for a server that never answers when the instance stops', async () => {
  wire.freeze();
  const opening = open({ heartbeatMs: never }, overTheWire());
  stopping.abort();
  await expect(opening).rejects.toThrow('Connection terminated unexpectedly');
});

const ask = async (text: string, values: readonly unknown[] = []): Promise<string> => {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ answer: string }>(text, [...values]);
  await client.end();
  return rows[0]?.answer ?? '';
};
/** How many sessions of this database are in a statement with these words. */
const running = async (words: string): Promise<number> =>
  Number(
    await ask(
      `select count(*) as answer from pg_stat_activity
       where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and query like $1`,
      [`%${words}%`],
    ),
  );
/** When the last heartbeat was. */
const lastBeat = () =>
  ask(
    `select max(query_start)::text as answer from pg_stat_activity
     where datname = current_database() and query like '%heartbeat%' and pid <> pg_backend_pid()`,
  );
