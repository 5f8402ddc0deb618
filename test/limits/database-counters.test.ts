import { Client } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lists } from '../../src/http/lists/lists.ts';
import type { MakeCounters } from '../../src/http/limits/counters/counters.ts';
import { databaseCounters } from '../../src/http/limits/counters/database-counters.ts';
import { makeRateLimits } from '../../src/http/limits/counters/rate-limits.ts';
import { makePipelinedReader } from '../../src/projections/database/pipelined-reader.ts';
import { eventually } from '../support/eventually.ts';
import { migratedDatabase, serverOf, type TestDatabase, urlThrough } from '../support/servers/databases.ts';
import { startPlugins } from '../support/scenes/plugin-app.ts';
import { activate, listWith, obtainTokens, setScene } from '../support/scenes/http-scene.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { allowTrouble, expectTrouble } from '../support/trouble/expect-trouble.ts';

let database: TestDatabase;
let closers: (() => unknown)[];
let time: number;

beforeEach(async () => {
  database = await migratedDatabase();
  closers = [];
  time = Date.now();
});
afterEach(async () => {
  for (const close of closers.toReversed()) await close();
  await database.drop();
});

const quotas = { activation: 6, addon: 100, token: 3 };
const now = () => time;
const hidden = (key: string) => Buffer.from(key).toString('base64url');

/** The counters of one instance of the service. */
const instance = (url = database.url, timeoutMs = 10_000) => {
  const logger = quietLogger();
  const reader = makePipelinedReader({ databaseUrl: url, logger, timeoutMs });
  const query = vi.spyOn(reader, 'query');
  const make = databaseCounters({ reader, hide: hidden, now, logger });
  closers.push(() => reader.close());
  return {
    make,
    reader,
    query,
    logger,
    limits: makeRateLimits(
      { authorize: 0, revoke: 0, introspect: 0, signInSteps: 0, signIn: 0, ...quotas },
      make,
      () => Date.now(),
    ),
  };
};

const rows = async (sql: string) => {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
};

const countOnce = ({ make }: { readonly make: MakeCounters }, key: string, quota = 5) =>
  make({ name: 'one', quota, window: 60 }).count(key);

test('§4: two instances over one database share what an activation may', async () => {
  const [here, there] = [instance(), instance()];
  const http = await startPlugins((parts) => [lists({ ...parts, rateLimits: here.limits })]);
  closers.push(() => http.close());
  const other = await startPlugins((parts) => [lists({ ...parts, rateLimits: there.limits })], http);
  const scene = await setScene(http);
  await activate(http, scene);
  const { organizationId } = scene;
  const { access_token: token } = await obtainTokens(http, scene, {
    subject: `organization:${organizationId}`,
  });
  const statuses: number[] = [];
  const left: unknown[] = [];
  for (let turn = 0; turn < 8; turn += 1) {
    const { statusCode, headers } = await listWith(turn % 2 === 0 ? http : other, '/profiles', token);
    statuses.push(statusCode);
    left.push(/"activation";r=(\d)/.exec(String(headers['ratelimit']))?.[1]);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
  expect(left).toEqual(['5', '4', '3', '2', '1', '0', '0', '0']);
});

test('§4: what one limit refuses is given back to the other, in the database too', async () => {
  const one = instance();
  const keys = (activation: string) => ({ activation, addon: 'x' });
  for (let request = 0; request < 7; request += 1) await one.limits.resources.admit(keys('a'));
  // The refused one is taken back in parallel with the answer: the next statement on that connection comes after it.
  const next = await one.limits.resources.admit(keys('b'));
  expect(next.standings.find(({ policy }) => policy === 'addon')?.remaining).toBe(100 - 7);
});

test('§4: nobody is refused because the database is slow: it is counted in memory meanwhile, and asked again later', async () => {
  allowTrouble(/a read connection was lost/);
  const proxy = await startTcpProxy(serverOf(database.url));
  closers.push(() => proxy.close());
  const one = instance(urlThrough(proxy, database.url), 1_000);
  await eventually(() => one.reader.query({ name: 'one', text: 'select 1' }, [])); // it is connected
  one.query.mockClear();
  const { count } = one.make({ name: 'one', quota: 2, window: 60 });
  expect((await count('abc')).remaining).toBe(1);
  proxy.freeze();
  expect(await count('abc')).toMatchObject({ exceeded: false, remaining: 1 }); // of its own
  expect((await count('abc')).exceeded).toBe(false);
  expect((await count('abc')).exceeded).toBe(true); // and limited all the same
  expect(one.query).toHaveBeenCalledTimes(2); // nobody waits for the database a second time
  expect(one.logger.lines.map(({ message }) => message)).toEqual([
    'requests are counted in memory while the database does not answer',
  ]);
  proxy.cut();
  time += 1_000;
  const back = await one.make({ name: 'one', quota: 5, window: 60 }).count('abc');
  expect(back.remaining).toBeLessThan(4); // what was counted before is there
});

test('§4: nobody is refused because the database is away', async () => {
  expectTrouble(/requests are counted in memory/);
  const proxy = await startTcpProxy(serverOf(database.url));
  const url = urlThrough(proxy, database.url);
  await proxy.close();
  const { limits } = instance(url);
  expect(await limits.token.admit({ token: 'a' })).toMatchObject({ admitted: true });
});

test('no address and no id is in the table, which is unlogged', async () => {
  const one = instance();
  await countOnce(one, '192.0.2.1');
  expect(await rows('select key, points from rate_limits')).toEqual([
    { key: hidden('one 192.0.2.1'), points: 1 },
  ]);
  expect(await rows(`select relpersistence from pg_class where relname = 'rate_limits'`)).toEqual([
    { relpersistence: 'u' },
  ]);
});
