import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchProgress } from '../../../src/projections/follow/progress.ts';
import type { Projector } from '../../../src/projections/follow/projector.ts';
import { testReadModels, type TestReadModels } from '../../support/log/read-models.ts';
import {
  positionOf,
  scriptedLog,
  startTestProjector,
  type ScriptedLog,
} from '../../support/log/test-projector.ts';
import { profile, tell } from './a-story.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

let side: TestReadModels;
let log: ScriptedLog;
let projector: Projector;

beforeEach(async () => {
  side = await testReadModels();
  log = scriptedLog();
  projector = startTestProjector({ databaseUrl: side.database.url, log });
  await projector.caughtUp;
});
afterEach(async () => {
  await projector.stop();
  await side.close();
});

/** Longer than a test may take: only being woken answers in time, the last look does not. */
const long = 600_000;

test('whoever waits is woken when the projector commits, on every instance', async () => {
  const elsewhere = watchProgress({
    listener: side.listener,
    reader: side.reader,
  });
  try {
    const waiting = [side.progress, elsewhere].map((progress) => progress.waitFor(positionOf(20), long));
    tell(log, profile('P1'), profile('P2'));
    expect(await Promise.all(waiting)).toEqual([true, true]);
    const { rows } = await side.pool.query('select id from profiles order by id');
    expect(rows).toEqual([{ id: 'P1' }, { id: 'P2' }]);
  } finally {
    elsewhere.close();
  }
});

test('the position waited for is compared as a pair', async () => {
  tell(log, profile('P1'));
  expect(await side.progress.waitFor({ commit: 10n, prepare: 10n }, long)).toBe(true);
  expect(await side.progress.waitFor({ commit: 10n, prepare: 11n }, 30)).toBe(false);
});

test('another group does not wake it', async () => {
  const other = watchProgress({
    listener: side.listener,
    reader: side.reader,
    name: 'rebuilt-read-models',
  });
  tell(log, profile('P1'));
  expect(await side.progress.waitFor(positionOf(10), long)).toBe(true);
  expect(await other.waitFor(positionOf(10), 30)).toBe(false);
  other.close();
});

test('a listener that lost its connection listens again, and learns what it missed', async () => {
  expectTrouble(/the connection that listens for notifications was lost/);
  await side.progress.waitFor(positionOf(1), 1); // it has begun
  await expect.poll(listeners).toBe(1);
  await side.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'grantbook notifications'`,
  );
  const waiting = side.progress.waitFor(positionOf(10), long);
  tell(log, profile('P1'));
  expect(await waiting).toBe(true);
});

test('whoever still waits when it is closed gets false', async () => {
  const own = watchProgress({ listener: side.listener, reader: side.reader });
  const waiting = own.waitFor(positionOf(1000), long);
  own.close();
  expect(await waiting).toBe(false);
});

const listeners = async () =>
  (
    await side.pool.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'grantbook notifications'`,
    )
  ).rowCount;
