import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { patience } from '../support/patience.ts';
import { freshDatabase, type TestDatabase } from '../../packages/eventstore-node/test/support/databases.ts';
import { type ChildNode, startChildNode } from '../../packages/eventstore-node/test/support/child-node.ts';
import { signal } from '../../packages/eventstore-node/src/postgres/processes.ts';
import { freePort } from '../support/servers/free-port.ts';
import { whyNoOwnBroker } from '../support/kafka-broker/broker-files.ts';
import { type KafkaBroker, startKafkaBroker } from '../support/kafka-broker/start-broker.ts';
import { type RawPostgres, startRawPostgres } from '../support/servers/raw-postgres.ts';
import { seed } from '../support/seed.ts';
import { isRelease } from '../support/tiers.ts';
import { type BusyService, startBusyService } from './busy-service.ts';
import { seededRandom } from './random.ts';
import { allowTrouble, expectTrouble } from '../support/trouble/expect-trouble.ts';
import { brokerAway, databaseRestarted, serverKilled } from '../support/trouble/server-killed.ts';

expectTrouble(databaseRestarted, /^error: Error: printed by a library\n/, /^warn: -7 is a negative number/);
allowTrouble(...serverKilled, ...brokerAway);

/** How often each server is killed. A broker takes seconds to start, the others tenths of them. */
const kills = isRelease ? { others: 50, kafka: 50 } : { others: 15, kafka: 3 };
const restarts = { timeout: 3 * patience, interval: 100 };

let postgres: RawPostgres;
let log: TestDatabase;
let node: ChildNode;
let broker: KafkaBroker | null;
let busy: BusyService;

const startEventStore = async (port: number) => {
  node = await startChildNode(
    { databaseUrl: log.url, port, lockPatienceMs: 20_000, force: true },
    {},
    'built',
  );
};

beforeAll(async () => {
  [postgres, log] = await Promise.all([startRawPostgres(), freshDatabase()]);
  await startEventStore(await freePort());
  const reason = await whyNoOwnBroker();
  if (reason !== null) process.stderr.write(`${reason}\n`);
  broker = reason === null ? await startKafkaBroker() : null;
  busy = await startBusyService(
    { databaseUrl: postgres.url('postgres'), eventStoreUrl: node.url },
    { ...(await inProduction()), ...(broker && { KAFKA_BROKERS: broker.brokers }) },
  );
});
afterAll(async () => {
  await busy.close();
  await Promise.all([postgres.close(), broker?.close(), node.close().then(() => log.drop())]);
});

/** With a library that prints. */
const inProduction = async () => {
  const port = String(await freePort());
  const noisy = join(import.meta.dirname, 'noisy-library.cjs');
  // On a fast machine one grant refreshes more often than an hour allows.
  const address = { PORT: port, BASE_URL: `http://127.0.0.1:${port}`, ROTATIONS_PER_HOUR: '0' };
  return { NODE_ENV: 'production', NODE_OPTIONS: `--require=${noisy}`, ...address };
};

const lines = () => busy.instance.output().split('\n').slice(0, -1);
/** Without what is written all the time. */
const ofTrouble = () =>
  lines().filter((line) => !/printed by a library|TimeoutNegative|"status":200/.test(line));
/** Lines that were only counted are said every ten seconds, until there are none. */
const untilQuiet = async () => {
  const quietFor = () => Date.now() - Number(/"time":(\d+)/.exec(ofTrouble().at(-1) ?? '')?.[1] ?? 0);
  await expect.poll(quietFor, restarts).toBeGreaterThan(11_000);
};
const isRunning = () => busy.instance.child.exitCode === null && busy.instance.child.signalCode === null;
const isReady = async () => (await fetch(`${busy.instance.baseUrl}/health/ready`)).status;

/** Both kinds of requests are answered again. */
const untilAnswered = async () => {
  const { refresh, list } = { ...busy.answered };
  await expect.poll(() => busy.answered.refresh > refresh && busy.answered.list > list, restarts).toBe(true);
};

test('FX-40: PostgreSQL, the event store and Kafka are killed at random moments under load, and the process is still there', async () => {
  const random = seededRandom(seed);
  const again = async (times: number, kill: () => Promise<void>, start: () => Promise<void>) => {
    for (let turn = 0; turn < times && isRunning(); turn += 1) {
      await pause(400 * random());
      await kill();
      await pause(200 * random());
      await start();
    }
  };
  await untilAnswered();
  const struck = await Promise.allSettled([
    again(kills.others, postgres.kill, postgres.start),
    again(
      kills.others,
      async () => {
        signal(node.pid, 'SIGKILL');
        await node.exited;
      },
      () => startEventStore(node.port),
    ),
    again(
      broker ? kills.kafka : 0,
      async () => broker?.kill(),
      // On a busy machine a broker may not be there in time: the next round starts it again.
      async () => broker?.start().catch(() => undefined),
    ),
  ]);
  expect(struck.filter(({ status }) => status === 'rejected')).toEqual([]);

  expect([isRunning(), isRunning() || busy.instance.output().slice(-3_000)]).toEqual([true, true]);
  await untilAnswered();
  await expect.poll(isReady, restarts).toBe(200);
  expect(busy.surprises).toEqual([]);
  const output = busy.instance.output();
  expect(output).not.toContain('stopping after a failure');
  expect(output).not.toMatch(/secretKey|connectionParameters/);
});

test('FX-41: in production every line of both outputs is one JSON object, whoever printed it', () => {
  const said = lines().map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  expect(said.filter(({ level, time, msg }) => !level || !time || typeof msg !== 'string')).toEqual([]);
  expect(said).toContainEqual(
    expect.objectContaining({
      level: 30,
      msg: expect.stringMatching(/^grantbook is ready at http/) as string,
    }),
  );
  const warning = { type: 'TimeoutNegativeWarning', message: expect.stringContaining('-7 is') as string };
  expect(said).toContainEqual(
    expect.objectContaining({ level: 40, err: expect.objectContaining(warning) as object }),
  );
  for (const [level, msg] of [
    [30, "printed by a library:\n { on: 'two lines' }"],
    [50, expect.stringMatching(/^Error: printed by a library\n +at /) as string],
  ])
    expect(said).toContainEqual(expect.objectContaining({ level, msg }));
});

test('FX-40: a database that is away for 20 s costs at most 20 lines, under load', async () => {
  await untilQuiet(); // the outage before is over, also for what is written about it
  const before = ofTrouble().length;
  await postgres.kill();
  await pause(20_000);
  await postgres.start();
  await untilAnswered();
  await expect.poll(isReady, restarts).toBe(200);
  await untilQuiet();
  const written = ofTrouble().slice(before);
  expect(written.slice(20)).toEqual([]);
  expect(written.length).toBeGreaterThan(0);
});
