import { getEventListeners } from 'node:events';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { lead, type LeaderDependencies } from '../../../src/projections/leadership/leader.ts';
import { leadershipBounds } from '../../../src/projections/leadership/leadership-bounds.ts';
import { startListening } from '../../../src/projections/database/listener.ts';
import { makeStandBy } from '../../../src/projections/leadership/stand-by.ts';
import { pause } from '../../../src/common/backoff.ts';
import {
  migratedDatabase,
  serverOf,
  urlThrough,
  type TestDatabase,
} from '../../support/servers/databases.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { valuesOf } from '../../support/query.ts';
import { startTcpProxy } from '../../support/servers/tcp-proxy.ts';
import { allowTrouble } from '../../support/trouble/expect-trouble.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await migratedDatabase();
  onTestFinished(() => database.drop());
});

const never = 1_000_000;

/** An instance whose workers share a connection to stand by. */
const instance = (names: readonly string[], pollMs = never, databaseUrl = database.url) => {
  const logger = quietLogger();
  const listener = startListening({ databaseUrl, logger });
  const standBy = makeStandBy(listener, pollMs);
  const stopping = new AbortController();
  const leads = new Set<string>();
  const running = names.map((name) => {
    const dependencies: LeaderDependencies = {
      databaseUrl,
      name,
      sharing: { standBy },
      bounds: { ...leadershipBounds, pollMs: 20 },
      logger,
      signal: stopping.signal,
      stoodBy: () => undefined,
      failed: () => 20,
      term: async ({ signal }) => {
        leads.add(name);
        await pause(never, signal);
        leads.delete(name);
      },
    };
    return lead(dependencies);
  });
  const stop = async () => {
    stopping.abort();
    await Promise.all(running);
    await listener.close();
  };
  onTestFinished(stop);
  return { leads, stop, listener };
};

const sessions = async () =>
  valuesOf(
    database.url,
    `select application_name from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() order by 1`,
  );

test('FX-71: an instance that stands by holds one session, however many leaders it waits for, and is told when one stops', async () => {
  const names = ['a', 'b', 'c'];
  const first = instance(names);
  await expect.poll(() => [...first.leads].toSorted()).toEqual(names);
  const second = instance(names);
  await expect
    .poll(sessions)
    .toEqual([
      ...names.map((name) => expect.stringMatching(`^grantbook ${name} `) as string),
      'grantbook notifications',
      'grantbook notifications',
    ]);
  await first.stop();
  await expect.poll(() => [...second.leads].toSorted()).toEqual(names);
});

test('a leader that falls silent tells nobody: whoever stands by asks who leads', async () => {
  allowTrouble(/the connection that listens for notifications was lost|cannot listen for notifications/);
  const wire = await startTcpProxy(serverOf(database.url));
  onTestFinished(() => wire.close());
  const silent = instance(['a'], never, urlThrough(wire, database.url));
  await expect.poll(() => silent.leads.size).toBe(1);
  const standby = instance(['a'], 20);
  wire.freeze();
  await expect.poll(() => standby.leads.size).toBe(1);
  wire.cut();
});

test('whoever cannot ask who leads tries for the lock at every poll', async () => {
  const asked: unknown[] = [];
  const standBy = makeStandBy(
    { on: () => () => undefined, ask: (_text, values) => (asked.push(values), Promise.resolve(null)) },
    1,
  );
  const { signal } = new AbortController();
  const held = vi.fn<() => void>();
  await Promise.all(['a', 'b'].map((name) => standBy({ name, signal, held })));
  expect(asked).toEqual([[['a', 'b']]]);
  expect(held).not.toHaveBeenCalled();
});

test('who leads is asked again until nobody does, and each answer says that the server is there', async () => {
  const answers = [[], [], [{ name: 'a' }]];
  const ask = () => Promise.resolve((answers.shift() ?? null) as never);
  const standBy = makeStandBy({ on: () => () => undefined, ask }, 1);
  const held = vi.fn<() => void>();
  await standBy({ name: 'a', signal: new AbortController().signal, held });
  expect([answers, held.mock.calls.length]).toEqual([[], 2]);
});

test('standing by ends when the instance stops, also before it begins, and leaves nothing behind with the signal', async () => {
  const standBy = makeStandBy({ on: () => () => undefined, ask: () => Promise.resolve(null) }, never);
  const { signal, abort } = linked();
  const before = getEventListeners(signal, 'abort').length;
  const standing = standBy({ name: 'a', signal, held: () => undefined });
  abort();
  await standing;
  await standBy({ name: 'a', signal, held: () => undefined });
  expect(getEventListeners(signal, 'abort').length).toBe(before);
});

const linked = () => {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
};
