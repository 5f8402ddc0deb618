import { expect, onTestFinished, test } from 'vitest';
import { startNode } from '#eventstore-node';
import { startLogHeads } from '../../src/reactions/log-heads.ts';
import { startRetention } from '../../src/reactions/retention.ts';
import type { StreamName } from '../../src/domain/streams.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { makeDoneOnce } from '../../src/projections/working-state/done-once.ts';
import { historyGroup, historyProjections } from '../../src/projections/history/history.ts';
import { startKeepingStreams } from '../../src/projections/retention/keep-streams.ts';
import { makeReadCounter } from '../../src/projections/read-counts/count-reads.ts';
import { startKeepingReads } from '../../src/projections/read-counts/keep-reads.ts';
import { startCleaningTables } from '../../src/projections/retention/clean-tables.ts';
import { newKey, signerOf } from '../audit/exports.ts';
import { freshDatabase } from '../support/servers/databases.ts';
import { days, seconds, t0, terms } from '../support/scenes/grants.ts';
import { issuanceOver } from '../support/memory/issuance.ts';
import { valueOf } from '../support/outcomes.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { projectAll } from '../support/log/test-projector.ts';
import { bytesARow, bytesOf } from './retention-page.ts';
import { isRelease } from '../support/tiers.ts';

const logger = quietLogger();
const hour = seconds(3600);
const [idleConnections, givenBack] = [100, 10];
/** A third of the year where there is less time; what a row takes then is mostly what the month's pages leave empty. */
const daysPlayed = isRelease ? 360 : 120;
/** A row for each day of UTC, whoever reads how often. */
const daysRead = 30;

/** The product's parts on real servers, and a clock that the test moves. */
const startWorld = async () => {
  const log = await freshDatabase();
  const side = await testReadModels();
  const open = async () => {
    const node = await startNode({ databaseUrl: log.url });
    const store = connectEventStore({ url: node.url, logger });
    const close = async () => {
      await store.close();
      await node.close();
    };
    return { store, close };
  };
  let server = await open();
  onTestFinished(async () => {
    await server.close();
    await side.close();
    await log.drop();
  });
  const issuance = issuanceOver({ store: server.store, fence: side.fence });
  await issuance.prepare();
  valueOf(await issuance.activate());
  let passed = 0;
  const now = () => t0 + passed;
  const counter = makeReadCounter({ now, networkOf: () => '192.0.2.0/24' });
  const reads = startKeepingReads({ counter, pool: side.pool, now, logger, days: 400 });
  onTestFinished(() => reads.stop());
  const sign = signerOf(await newKey());

  /** What runs in parallel with the service all the time: everything that is due by now is done. */
  const catchUp = async () => {
    const { store } = server;
    const needs = { databaseUrl: side.database.url, store, logger, now };
    await projectAll(side.database.url, store);
    await projectAll(side.database.url, store, { projections: historyProjections, name: historyGroup });
    for (const start of [
      () => startKeepingStreams({ databaseUrl: side.database.url, log: store, logger }),
      () => startLogHeads({ ...needs, sign, intervalMs: hour }),
      () => startRetention({ ...needs, keepMs: days(400) }),
      () => startCleaningTables({ ...needs, log: store }),
    ]) {
      const worker = start();
      await worker.caughtUp;
      await worker.stop();
    }
    await projectAll(side.database.url, store);
    await projectAll(side.database.url, store, { projections: historyProjections, name: historyGroup });
  };
  return {
    ...issuance,
    side,
    now,
    counter,
    reads,
    catchUp,
    store: () => server.store,
    pass: (milliseconds: number) => {
      passed += milliseconds;
      issuance.pass(milliseconds);
    },
    /** Of the event store: the embedded node does it whenever it starts. */
    scavenge: async () => {
      await server.close();
      server = await open();
    },
    /** Streams by category, and events. */
    inLog: async () => {
      const streams = new Map<string, Set<string>>();
      let events = 0;
      for await (const { stream } of server.store.readLog({
        after: null,
        signal: new AbortController().signal,
      })) {
        const category = stream.slice(0, stream.indexOf('-'));
        streams.set(category, (streams.get(category) ?? new Set()).add(stream));
        events += 1;
      }
      return { events, streams: Object.fromEntries([...streams].map(([name, all]) => [name, all.size])) };
    },
    rowsOf: async (table: string): Promise<number> =>
      (await side.pool.query<{ rows: number }>(`select count(*)::int as rows from ${table}`)).rows[0]?.rows ??
      -1,
    /** What a row takes, compared with what the page says: 1 is alike. */
    likeThePage: async (table: string): Promise<number> => {
      const { rows } = await side.pool.query<{ rows: number }>(`select count(*)::int as rows from ${table}`);
      return (await bytesOf(side.pool, table)) / (rows[0]?.rows ?? 0) / bytesARow(table);
    },
  };
};

type World = Awaited<ReturnType<typeof startWorld>>;

/** A sign-in that is ended, a form that is sent, and a code that nobody redeems. */
const playDay = async (world: World, day: number) => {
  const at = world.now();
  const sessionId = `01JD0000000000000000S${String(day).padStart(5, '0')}`;
  const session: StreamName = `session-${sessionId}`;
  const about = {
    sessionId,
    userId: world.userId,
    keyId: 'k1',
    salt: 'c2FsdA',
    at,
    expiresAt: at + 12 * hour,
    device: null,
    network: null,
    upstream: null,
    passkey: null,
  };
  await world
    .store()
    .append(session, 'no-stream', [
      { event: { type: 'SessionStarted', data: about } },
      { event: { type: 'SessionEnded', data: { at: at + hour } } },
    ]);
  await makeDoneOnce({ pool: world.side.pool }).end(`interaction${day}`, at + seconds(600));
  await world.issue();
};

const refreshed = async (world: World, token: string): Promise<string> =>
  valueOf(await world.refresh(token)).refreshToken;

test('GR-07: after a year of one busy and a hundred idle connections there is what docs/reference/retention.md says, and after the retention only what stays', async () => {
  const world = await startWorld();
  const code = await world.issue();
  const busyId = world.grantIdOf(code);
  let busy = valueOf(await world.exchange(code)).refreshToken;
  const idle: string[] = [];
  for (let n = 0; n < idleConnections; n += 1) idle.push((await world.newPair()).refreshToken);
  let refreshes = 0;
  for (let day = 0; day < daysPlayed; day += 1) {
    for (let n = 0; n < 24; n += 1) {
      busy = await refreshed(world, busy);
      refreshes += 1;
      if (day < daysRead)
        world.counter.count({
          list: 'profiles',
          grantId: busyId,
          userId: terms.userId,
          records: 25,
          address: '',
        });
      world.pass(hour);
    }
    await playDay(world, day);
    if (day % 25 === 24)
      for (const [index, token] of idle.entries()) {
        idle[index] = await refreshed(world, token);
        refreshes += 1;
      }
    if (day % 45 === 44) await world.catchUp();
  }
  for (const token of idle.slice(0, givenBack))
    valueOf(await world.commands.revokeToken({ addonId: world.addonId, token }));
  world.pass(hour); // longer than the last form lasts
  await world.catchUp();

  world.reads.soon();
  await expect.poll(() => world.rowsOf('list_reads')).toBe(daysRead + 1); // the first one began in the morning
  const redeemed = idleConnections + 1;
  const { streams } = await world.inLog();
  expect(streams).toMatchObject({ grant: redeemed + daysPlayed, session: daysPlayed });
  expect(streams['retention']).toBeUndefined();
  const rows = {
    grants: redeemed + daysPlayed,
    history_streams: redeemed + 2 * daysPlayed,
    // Of a grant its code, its redemption and each refresh, and its end; of a session both events.
    history_events: 2 * redeemed + daysPlayed + refreshes + givenBack + 2 * daysPlayed,
    done_once: 0,
    fence: givenBack + 1,
  };
  const found = Object.fromEntries(
    await Promise.all(Object.keys(rows).map(async (table) => [table, await world.rowsOf(table)] as const)),
  );
  expect(found).toEqual(rows);
  const unlike: string[] = [];
  for (const table of isRelease ? ['history_events', 'history_streams', 'log_tiles'] : []) {
    const ratio = await world.likeThePage(table);
    if (Math.abs(ratio - 1) > 0.2) unlike.push(`${table}: ${ratio.toFixed(2)} times what the page says`);
  }
  expect(unlike).toEqual([]);

  // Only what the page says goes, and it goes: what has ended is long over.
  world.pass(days(401));
  await world.catchUp();
  await world.scavenge();
  await world.catchUp();
  expect((await world.inLog()).streams).toMatchObject({ grant: redeemed, retention: 1, activation: 1 });
  expect((await world.inLog()).streams['session']).toBeUndefined();
  expect(await world.rowsOf('grants')).toBe(redeemed);
  expect(await world.rowsOf('history_streams')).toBe(redeemed);
  expect(await world.rowsOf('history_events')).toBe(2 * redeemed + refreshes + givenBack);
  expect(await world.rowsOf('fence')).toBe(1);
});
