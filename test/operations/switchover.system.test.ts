import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BusyService, startBusyService } from '../durability/busy-service.ts';
import { debianPostgres } from '../support/servers/debian-postgres.ts';
import { startTestNode, type TestNode } from '../support/servers/node.ts';
import { type RawPostgres, startRawPostgres } from '../support/servers/raw-postgres.ts';
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp-proxy.ts';
import { allowTrouble, expectTrouble } from '../support/trouble/expect-trouble.ts';
import { databaseReadOnly, databaseRestarted, serverKilled } from '../support/trouble/server-killed.ts';

expectTrouble(databaseRestarted, /^error: DATABASE_URL leads to a server that is read-only/);
allowTrouble(...serverKilled, ...databaseReadOnly);

/** Without a heartbeat nothing would be noticed at all, since the old servers run until the end. */
const often = { interval: 100 };

let [first, second, third]: RawPostgres[] = [];
let proxy: TcpProxy;
let node: TestNode;
let busy: BusyService;

/** Who is connected to a server, but for its standbys and ourselves. */
const sessionsOn = async (server: RawPostgres): Promise<readonly unknown[]> => {
  const rows = await server.run(
    `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  return rows.map(({ pid }) => pid);
};

const untilGone = async (server: RawPostgres, sessions: readonly unknown[]) => {
  expect(sessions.length).toBeGreaterThan(10);
  const left = async () => (await sessionsOn(server)).filter((pid) => sessions.includes(pid));
  await expect.poll(left, often).toEqual([]);
};

/** Both ways of delivery, refreshes, lists and readiness. */
const untilResumed = async () => {
  let told: Awaited<ReturnType<BusyService['change']>> = [0, 0];
  const change = async () => {
    told = await busy.change().catch(() => told);
    return told[0];
  };
  const before = busy.notices()[0];
  await expect.poll(change, often).toBeGreaterThan(before);
  await expect.poll(busy.notices, often).toEqual(told);
  const { refresh, list } = { ...busy.answered };
  await expect.poll(() => busy.answered.refresh > refresh && busy.answered.list > list, often).toBe(true);
  await expect.poll(() => busy.readiness.at(-1), often).toMatch(/^200 (ready|degraded) ok$/);
};

/** Whatever the one server has written, the other has applied. */
const untilApplied = async (from: RawPostgres, by: RawPostgres) => {
  const [row] = await from.run('select pg_current_wal_flush_lsn()::text as at');
  const isApplied = async () =>
    (await by.run(`select pg_last_wal_replay_lsn() >= '${String(row?.['at'])}' as done`))[0]?.['done'];
  await expect.poll(isApplied, often).toBe(true);
};

describe.skipIf(debianPostgres === null)('a switchover of Postgres', () => {
  beforeAll(async () => {
    const folder = debianPostgres ?? '';
    const [postgres, initdb] = [join(folder, 'postgres'), join(folder, 'initdb')];
    first = await startRawPostgres({ postgres, initdb, native: null });
    second = await first.standby();
    third = await second.standby();
    proxy = await startTcpProxy(first.port);
    node = await startTestNode();
    const url = new URL(first.url('postgres'));
    url.port = String(proxy.port);
    busy = await startBusyService({ databaseUrl: url.href, eventStoreUrl: node.url });
  });
  afterAll(async () => {
    await busy.close();
    await proxy.close();
    await Promise.all([first?.close(), node.close()]);
  });

  test('FX-30: a server that was made read-only is left within seconds; until then writes are put off', async () => {
    if (!first || !second) throw new Error('no servers');
    await untilResumed();
    const sessions = await sessionsOn(first);
    const { refresh, list } = { ...busy.putOff };
    await first.run('alter system set default_transaction_read_only = on');
    await first.run('select pg_reload_conf()');

    await untilGone(first, sessions);
    await expect
      .poll(() => busy.readiness.at(-1), often)
      .toBe('503 not-ready does not accept writes: it is read-only (25006)');
    await expect.poll(() => busy.putOff.refresh > refresh && busy.putOff.list > list, often).toBe(true);

    await untilApplied(first, second);
    await second.run('select pg_promote()');
    proxy.switchTo(second.port);
    await untilResumed();
    expect(busy.surprises).toEqual([]);
  });

  test('FX-30: the next standby is used once it is promoted, though the server before it still accepts writes', async () => {
    if (!second || !third) throw new Error('no servers');
    const sessions = await sessionsOn(second);
    await untilApplied(second, third);
    proxy.switchTo(third.port); // while it is a standby: nobody stays there, and the old connections go on
    await untilResumed();
    expect((await third.run('select pg_is_in_recovery() as so'))[0]).toEqual({ so: true });
    await third.run('select pg_promote()');

    await untilGone(second, sessions);
    await untilResumed();
    expect(busy.surprises).toEqual([]);
    expect(busy.instance.child.exitCode).toBeNull();
  });
});
