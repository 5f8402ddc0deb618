import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LogSubscriptions } from '../../../src/eventstore/event-store.ts';
import type { Projection } from '../../../src/projections/follow/projection.ts';
import type { Projector } from '../../../src/projections/follow/projector.ts';
import { readModelProjections } from '../../../src/projections/read-model-projections.ts';
import { patience } from '../../support/patience.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { testReadModels, type TestReadModels } from '../../support/log/read-models.ts';
import {
  positionOf,
  projectAll,
  scriptedLog,
  startTestProjector,
  type ScriptedLog,
} from '../../support/log/test-projector.ts';
import { organization, profile, tell, wholeStory } from './a-story.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

let side: TestReadModels;
let log: ScriptedLog;
let running: Projector[];

beforeEach(async () => {
  side = await testReadModels();
  log = scriptedLog();
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((projector) => projector.stop()));
  await side.close();
});

const start = (needs: Partial<Parameters<typeof startTestProjector>[0]> = {}): Projector => {
  const projector = startTestProjector({ databaseUrl: side.database.url, log, ...needs });
  running.push(projector);
  return projector;
};
const last = () => log.events.at(-1)?.position ?? positionOf(0);
const names = async () =>
  (await side.pool.query<{ id: string }>('select id from profiles order by ordinal')).rows.map(
    ({ id }) => id,
  );

test('what is in the log, and what comes later, gets into the tables, and the checkpoint follows', async () => {
  tell(log, profile('P1'), profile('P2'));
  await start().caughtUp;
  expect(await names()).toEqual(['P1', 'P2']);
  const [third] = tell(log, profile('P3'));
  expect(await side.progress.waitFor(last(), patience)).toBe(true);
  expect(await names()).toEqual(['P1', 'P2', 'P3']);
  expect(await side.progress.checkpoint()).toEqual(third?.position);
});

test('a checkpoint without events moves the stored position, so a restart does not read that stretch again', async () => {
  tell(log, profile('P1'));
  await start().caughtUp;
  log.checkpoint(positionOf(5000));
  expect(await side.progress.waitFor(positionOf(5000), patience)).toBe(true);
});

test('a subscription that ends is begun again from the stored position', async () => {
  tell(log, profile('P1'));
  await start().caughtUp;
  log.drop();
  tell(log, profile('P2'));
  expect(await side.progress.waitFor(last(), patience)).toBe(true);
  expect(await names()).toEqual(['P1', 'P2']);
  expect(log.subscriptions()).toBeGreaterThan(1);
});

test('however the log is cut into batches, the tables are the same', async () => {
  tell(log, ...wholeStory());
  await projectAll(side.database.url, log, { batchSize: 1000 });
  const together = await side.dump();
  for (const batchSize of [1, 2, 7]) {
    await side.clear();
    await projectAll(side.database.url, log, { batchSize });
    expect(await side.dump()).toEqual(together);
  }
});

/** Sees every transaction. */
const counting = () => {
  const transactions: string[][] = [];
  const projection: Projection = {
    name: 'counting',
    eventTypes: ['ProfileRecorded'],
    begin: () => {
      const ids: string[] = [];
      return {
        apply: ({ event }) => void ids.push((event.data as { readonly id: string }).id),
        write: () => Promise.resolve(void transactions.push(ids)),
      };
    },
  };
  return { transactions, projections: [...readModelProjections, projection] };
};
const profiles = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => profile(`P${from + i}`));

test('after a crowd events are gathered: all that come meanwhile are one transaction, which begins once it is full', async () => {
  const { transactions, projections } = counting();
  tell(log, ...profiles(1, 8));
  // So long that only a full batch ends it.
  await start({ projections, batchSize: 10, lingerMs: 3_600_000 }).caughtUp;
  expect(await side.progress.waitFor(last(), patience)).toBe(true);
  for (const at of [9, 10, 11, 12]) {
    tell(log, profile(`P${at}`));
    await side.pool.query('select'); // a round trip, in which a transaction could begin
  }
  tell(log, ...profiles(13, 18));
  expect(await side.progress.waitFor(last(), patience)).toBe(true);
  expect(transactions.at(-1)).toEqual(profiles(9, 18).map(({ event }) => event.data.id));
});

test('events that come alone are not gathered, and a projector that gathers can be stopped', async () => {
  const { transactions, projections } = counting();
  const projector = start({ projections, batchSize: 10, lingerMs: 3_600_000 });
  await projector.caughtUp;
  for (const id of ['P1', 'P2', 'P3']) {
    tell(log, profile(id));
    expect(await side.progress.waitFor(last(), patience)).toBe(true);
  }
  expect(transactions.filter((ids) => ids.length > 0)).toEqual([['P1'], ['P2'], ['P3']]);
  tell(log, ...profiles(4, 9));
  expect(await side.progress.waitFor(last(), patience)).toBe(true);
  await projector.stop();
});

test('of two projectors one leads; when its connection is killed the other takes over where it was', async () => {
  const [first, second] = [start(), start()];
  tell(log, profile('P1'));
  expect(await side.progress.waitFor(last(), patience)).toBe(true);
  const roles = [first, second].map((projector) => projector.status().role);
  expect(roles.toSorted()).toEqual(['leading', 'standby']);
  for (const wave of [2, 3, 4]) {
    await killLeader();
    tell(log, profile(`P${wave}`));
    expect(await side.progress.waitFor(last(), patience)).toBe(true);
  }
  expect(await names()).toEqual(['P1', 'P2', 'P3', 'P4']);
  const { rows } = await side.pool.query<{ lease_epoch: string }>('select lease_epoch from checkpoints');
  expect(rows).toEqual([{ lease_epoch: '4' }]);
});

test('when the leader stops, the standby leads', async () => {
  const [first, second] = [start(), start()];
  await expect
    .poll(() => [first, second].map((p) => p.status().role).toSorted())
    .toEqual(['leading', 'standby']);
  const [leader, standby] = first.status().role === 'leading' ? [first, second] : [second, first];
  await leader.stop();
  await standby.caughtUp;
  expect(leader.status().role).toBe('stopped');
  expect(standby.status().role).toBe('leading');
});

test('a leader whose lease is over is rolled back, rows and all, and leads again only with a new lease', async () => {
  const logger = quietLogger();
  tell(log, profile('P1'));
  const zombie = start({ logger });
  await zombie.caughtUp;
  // Somebody else has become leader meanwhile, and has come further.
  await side.pool.query(
    'update checkpoints set lease_epoch = lease_epoch + 1, commit_position = 20, prepare_position = 20',
  );
  tell(log, profile('P2'), profile('P3'));
  expect(await side.progress.waitFor(last(), patience)).toBe(true);
  // P2 is at 20: the zombie would have written it, the new lease begins after it.
  expect(await names()).toEqual(['P1', 'P3']);
  expect(logger.lines.map(({ message }) => message)).toContain('lost leadership, on standby');
});

test('an event that cannot be applied nor parked, for too many are, stops the projector with an alarm that names it; what was ahead of it is there', async () => {
  expectTrouble(/The projections stopped at OrganizationCreated/);
  const logger = quietLogger();
  // Postgres takes no zero byte in a text.
  tell(log, profile('P1'), organization('O9', 'a\u0000b'), profile('P3'));
  await side.pool.query(
    `insert into parked_events (checkpoint, projection, stream, revision, event_id, type, commit_position, prepare_position)
     select 'read-models', 'lists', 'profile-O7.P' || n, 0, gen_random_uuid(), 'ProfileRecorded', 1, 1
     from generate_series(1, 10000) as n`,
  );
  const projector = start({ logger });
  await expect.poll(() => projector.status().role).toBe('stuck');
  expect(projector.status()).toMatchObject({
    healthy: false,
    stuckAt: { id: log.events[1]?.id, stream: 'organization-O9', type: 'OrganizationCreated' },
  });
  expect(await names()).toEqual(['P1']);
  expect(await side.progress.checkpoint()).toEqual(log.events[0]?.position);
  expect(logger.lines.filter(({ level }) => level === 'error')).toMatchObject([
    { context: { alarm: true, event: { type: 'OrganizationCreated' } } },
  ]);
});

test('an event that cannot be read from the log is an alarm and is never skipped', async () => {
  expectTrouble(/starts again .*cannot be decoded/);
  tell(log, profile('P1'), profile('P2'));
  const logger = quietLogger();
  const damaged: LogSubscriptions = {
    async *subscribe(options) {
      for await (const message of log.subscribe(options)) {
        if (message.kind === 'event' && message.event.stream === 'profile-O1.P2')
          throw new Error('event ProfileRecorded at profile-O1.P2@0 cannot be decoded');
        yield message;
      }
    },
  };
  const projector = start({ log: damaged, logger });
  await expect.poll(() => projector.status().healthy).toBe(false);
  expect(await names()).toEqual(['P1']);
  expect(logger.lines).toContainEqual({
    level: 'error',
    message: expect.any(String) as string,
    context: expect.objectContaining({
      alarm: true,
      err: expect.objectContaining({
        message: expect.stringContaining('profile-O1.P2@0') as string,
      }) as object,
    }) as object,
  });
});

test('a transient failure is tried again until it works', async () => {
  expectTrouble(/starts again .*the disk is full/);
  tell(log, profile('P1'));
  let failures = 4;
  const shaky: Projection = {
    name: 'shaky',
    eventTypes: ['ProfileRecorded'],
    begin: () => ({
      apply: () => undefined,
      write: () => (failures-- > 0 ? Promise.reject(new Error('the disk is full')) : Promise.resolve()),
    }),
  };
  const logger = quietLogger();
  const projector = start({ projections: [...readModelProjections, shaky], logger });
  await projector.caughtUp;
  expect(await names()).toEqual(['P1']);
  expect(projector.status().healthy).toBe(true);
  expect(logger.lines.some(({ context }) => 'alarm' in context && context.alarm === true)).toBe(true);
});

test('the projector starts before the database can be reached, and goes on when it can', async () => {
  expectTrouble(/starts again .*too many connections/);
  const name = new URL(side.database.url).pathname.slice(1);
  const ordinary = new URL(side.database.url);
  ordinary.username = `user_of_${name}`;
  await side.pool.query(`alter database ${name} connection limit 0`); // superusers are not counted
  await side.pool.query(`create role user_of_${name} login password '${ordinary.password}'`);
  await side.pool.query(`grant all on all tables in schema public to user_of_${name}`);
  tell(log, profile('P1'));
  const projector = start({ databaseUrl: ordinary.href });
  await expect.poll(() => projector.status().healthy).toBe(false);
  await side.pool.query(`alter database ${name} connection limit -1`);
  await projector.caughtUp;
  expect(await names()).toEqual(['P1']);
  await projector.stop();
  await side.pool.query(`drop owned by user_of_${name}; drop role user_of_${name}`);
});

/** Ends the connection that holds the advisory lock of the leader. */
const killLeader = async () => {
  const admin = new Client({ connectionString: side.database.url });
  await admin.connect();
  const { rowCount } = await admin.query(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`,
  );
  await admin.end();
  expect(rowCount).toBe(1);
};
