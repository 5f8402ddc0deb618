import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { askFacts } from '../../src/embedded/control-socket.ts';
import { until } from '../../src/embedded/until.ts';
import { settingsFor } from '../operations/running.ts';
import { patience } from '../support/patience.ts';
import { freshDatabase } from '../support/servers/databases.ts';
import { readyInstance, spawnInstance } from '../support/servers/instance.ts';
import { startTestServers } from '../support/test-servers.ts';
import { query } from '../support/query.ts';
import { dataDirOfFile, newDataDir, processesOn } from './processes.ts';
import { runService, type RunningService, spawnService, startService, stopService } from './service.ts';
import { allowTrouble, expectTrouble } from '../support/trouble/expect-trouble.ts';
import { listening } from '../support/servers/serve.ts';
import { serverKilled } from '../support/trouble/server-killed.ts';

allowTrouble(...serverKilled);

/** Whoever finds it made need not make it. */
const lasting = dataDirOfFile();

/** A service on it is started by the first test that needs one, and ended by one whose subject that is. */
let running: RunningService | null = null;
const runningService = async (): Promise<RunningService> => {
  running ??= await readyInstance(spawnInstance({ DATA_DIR: lasting }));
  return running;
};
/** From now on it is the test's: the next one that needs one starts it. */
const takenService = async (): Promise<RunningService> => {
  const service = await runningService();
  running = null;
  onTestFinished(() => void service.child.kill('SIGKILL'));
  return service;
};
afterAll(async () => {
  running?.child.kill('SIGKILL');
  await until(() => processesOn(lasting).length === 0, patience);
});

/** The log of the running service, as an EventStoreDB client of its own sees it. */
const logOf = async (dataDir: string): Promise<EventStoreDBClient> => {
  const client = EventStoreDBClient.connectionString((await askFacts(dataDir))?.eventStoreUrl ?? '');
  onTestFinished(() => client.dispose());
  return client;
};
const append = (log: EventStoreDBClient, stream: string) =>
  log.appendToStream(stream, jsonEvent({ type: 'Kept', data: {} }), { expectedRevision: 'any' });
const countEvents = async (log: EventStoreDBClient, stream: string): Promise<number> => {
  let count = 0;
  for await (const { event } of log.readStream(stream)) count += event ? 1 : 0;
  return count;
};

const isReady = async (baseUrl: string): Promise<boolean> => (await fetch(`${baseUrl}/health/ready`)).ok;
const saidOfKafka = (service: RunningService) =>
  service
    .output()
    .split('\n')
    .filter((line) => /kafka/i.test(line));

test('the first start makes everything, and SIGTERM ends it with 0 and leaves no process', async () => {
  expect(existsSync(lasting)).toBe(false);
  const service = await takenService();
  expect(service.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  expect(await isReady(service.baseUrl)).toBe(true);
  expect(await stopService(service, 'SIGTERM')).toBe(0);
  expect(service.output()).not.toContain('has ended');
  expect(processesOn(lasting)).toEqual([]);
});

/** What a start has got to when the signal comes, seen from the outside: the folder, PostgreSQL, the node. */
const moments = [
  ['the data folder is claimed', 'dist/src/main.js', 'control.sock'],
  ['PostgreSQL runs', 'postgres -D', 'postgres'],
  ['the event store runs', 'eventstore-node/dist/main.js', 'postgres'],
] as const;

const stopWhen = async (env: { readonly DATA_DIR: string }, process: string, file: string) => {
  const child = spawnService(env);
  const exited = once(child, 'exit');
  const isThere = () => processesOn(env.DATA_DIR).some((line) => line.includes(process));
  expect(await until(() => isThere() && existsSync(join(env.DATA_DIR, file)), patience)).toBe(true);
  child.kill('SIGTERM');
  const [code, signal] = await exited;
  return { code: code as unknown, signal: signal as unknown, left: processesOn(env.DATA_DIR) };
};
const cleanly = { code: 0, signal: null, left: [] };

describe('a service on a new folder that is asked to stop', () => {
  const dataDir = dataDirOfFile();

  test.each(moments)('when %s stops cleanly with 0', async (_moment, process, file) => {
    expect(await stopWhen({ DATA_DIR: dataDir }, process, file)).toEqual(cleanly);
  });

  test('starts after all of that', async () => {
    expect(await stopService(await startService({ DATA_DIR: dataDir }), 'SIGTERM')).toBe(0);
  });

  test('when a real event store is waited for stops cleanly with 0, and starts after that', async () => {
    const DATA_DIR = newDataDir();
    const env = { DATA_DIR, EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' };
    expect(await stopWhen(env, 'postgres -D', 'token-keys')).toEqual(cleanly);
    expect(await stopService(await startService({ DATA_DIR }), 'SIGTERM')).toBe(0);
  });
});

test('a demo that cannot be seeded is said and missed, and the service runs without it', async () => {
  expectTrouble(/the demo data could not be seeded .*EISDIR/);
  const dataDir = newDataDir();
  mkdirSync(join(dataDir, 'demo.json'), { recursive: true, mode: 0o711 });
  const service = await startService({ DATA_DIR: dataDir });
  expect(await isReady(service.baseUrl)).toBe(true);
  expect((await fetch(`${service.baseUrl}/demo`)).status).toBe(404);
  await stopService(service, 'SIGTERM');
  expect(service.output()).toContain('the demo data could not be seeded (DATA_DIR/demo.json)');
  expect(service.output()).not.toContain('Connect the demo');
});

test('a second service on the same folder is refused, naming the first one', async () => {
  const first = await runningService();
  const { code, output } = await runService({ DATA_DIR: lasting });
  expect(code).toBe(1);
  expect(output).toContain(
    `a service already runs on DATA_DIR ${lasting}: process ${first.child.pid} at ${first.baseUrl}`,
  );
  expect(output).not.toMatch(/^\s+at /m);
  expect(await isReady(first.baseUrl)).toBe(true);
});

test('without Kafka the start says once what that means, and readiness and metrics that it is so', async () => {
  const service = await runningService();
  const readiness = (await (await fetch(`${service.baseUrl}/health/ready`)).json()) as object;
  expect(readiness).toMatchObject({ status: 'ready', checks: { kafka: 'not configured' } });
  const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
  expect(metrics.split('\n')).toEqual(
    expect.arrayContaining([
      'grantbook_kafka_configured 0',
      'grantbook_server_reachable{server="event-store"} 1',
      'grantbook_server_reachable{server="database"} 1',
      'grantbook_worker_role{worker="projector",role="leading"} 1',
    ]),
  );
  expect(saidOfKafka(service)).toEqual([
    expect.stringMatching(/^Kafka is not configured .* the relay will start at the first one\.$/),
  ]);
});

test('a second start keeps what the first one has written, and SIGINT ends it like SIGTERM', async () => {
  const first = await takenService();
  const log = await logOf(lasting);
  await append(log, 'kept-1');
  expect(await stopService(first, 'SIGINT')).toBe(0);
  expect(saidOfKafka(first)).toHaveLength(1); // nothing more at its end
  expect(processesOn(lasting)).toEqual([]);
  await runningService();
  expect(await countEvents(await logOf(lasting), 'kept-1')).toBe(1);
});

test('a kill -9 loses nothing that was acknowledged, and the next start leaves nothing of the killed one', async () => {
  const killed = await takenService();
  const family = processesOn(lasting);
  const log = await logOf(lasting);
  let acknowledged = 0;
  const writers = Array.from({ length: 8 }, async () => {
    for (;;) {
      await append(log, 'kept-2');
      if (++acknowledged === 100) killed.child.kill('SIGKILL');
    }
  });
  await Promise.allSettled(writers); // each goes on until its append fails
  const next = await runningService();
  expect(await isReady(next.baseUrl)).toBe(true);
  expect(await countEvents(await logOf(lasting), 'kept-2')).toBeGreaterThanOrEqual(acknowledged);
  expect(await until(() => !processesOn(lasting).some((line) => family.includes(line)), patience)).toBe(true);
});

test('when the embedded event store dies the service says so and stops with 1', async () => {
  const service = await takenService();
  const [node] = processesOn(lasting).filter((line) => line.includes('eventstore-node/dist/main.js'));
  const ended = once(service.child, 'exit');
  process.kill(Number(node?.split(' ')[0]), 'SIGKILL');
  expect((await ended)[0]).toBe(1);
  expect(service.output()).toContain('the embedded event store has ended');
  expect(processesOn(lasting)).toEqual([]);
});

test('a busy port is named, with the setting to change, and everything that was started is stopped', async () => {
  const dataDir = lasting;
  const port = String(await listening(createServer()));
  const { code, output } = await runService({ DATA_DIR: dataDir, PORT: port });
  expect(code).toBe(1);
  expect(output).toMatch(new RegExp(`PORT.*${port}|${port}.*PORT`));
  expect(output).not.toMatch(/^\s+at /m);
  expect(processesOn(dataDir)).toEqual([]);
});

test.each([
  ['HOST', { HOST: '203.0.113.9' }, 'cannot listen on HOST 203.0.113.9 with PORT 0 (EADDRNOTAVAIL)'],
  ['DATA_DIR', { DATA_DIR: '/dev/null/folder' }, 'DATA_DIR /dev/null/folder cannot be made (ENOTDIR)'],
  ['DATA_DIR', { DATA_DIR: '/proc/nope/data' }, 'DATA_DIR /proc/nope/data cannot be made (ENOENT)'],
  [
    'DATABASE_URL',
    { DATABASE_URL: 'postgres://u:hush@127.0.0.1:1/x', EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' },
    'the server of DATABASE_URL cannot be reached (ECONNREFUSED)',
  ],
])('a %s that leads nowhere is named, without its secrets', async (_name, settings, message) => {
  const { code, output } = await runService({ DATA_DIR: newDataDir(), ...settings });
  expect(code).toBe(1);
  expect(output).toContain(`grantbook: ${message}`);
  expect(output).not.toMatch(/^\s+at |hush/m);
});

test('FX-43: an EVENTSTORE_URL that cannot work is one sentence, and exit 2', async () => {
  const EVENTSTORE_URL = 'esdb://user:hush@127.0.0.1:2113?tls=false';
  const { code, output } = await runService({ DATA_DIR: newDataDir(), EVENTSTORE_URL });
  expect([code, output]).toEqual([
    2,
    'grantbook: the settings are wrong:\n  EVENTSTORE_URL: got a user and a password with tls=false, but they are sent over TLS only; allowed: tls=true; or tls=false without a user and a password\n',
  ]);
});

test('FX-37: production refuses the embedded node, wherever EVENTSTORE_URL leads to it, with one sentence', async () => {
  expectTrouble(/^fatal: the event store of EVENTSTORE_URL is the embedded node/);
  const { stores } = await startTestServers(onTestFinished, freshDatabase);
  const { code, output } = await runService({
    ...settingsFor(stores),
    NODE_ENV: 'production',
    BASE_URL: 'http://127.0.0.1:1',
  });
  expect(code).toBe(1);
  expect(output).toContain(
    'the event store of EVENTSTORE_URL is the embedded node, which is not for production: set EVENTSTORE_URL to KurrentDB 26.0',
  );
  expect(output).not.toMatch(/^\s+at |is ready at/m);
});

test('a database and a data folder that no version can have made are each refused with one sentence', async () => {
  const { stores } = await startTestServers(onTestFinished, freshDatabase);
  await query(stores.databaseUrl, 'create table migration_checksums (name text primary key, sha256 text)');
  const dataDir = newDataDir();
  mkdirSync(join(dataDir, 'postgres'), { recursive: true });
  for (const [settings, sentence] of [
    [
      settingsFor(stores),
      'This version cannot use the database of DATABASE_URL, in which it changed nothing:',
    ],
    [
      { DATA_DIR: dataDir },
      `DATA_DIR ${dataDir}, in which nothing was changed, was made before version 1.0.0`,
    ],
  ] as const) {
    const { code, output } = await runService(settings);
    expect([code, output]).toEqual([1, expect.stringContaining(sentence)]);
    expect(output).not.toMatch(/^\s+at |is ready at/m);
  }
  expect(readdirSync(dataDir)).toEqual(['postgres']);
});

test('bad settings are named, all at once, and what production lacks with them, and nothing is started', async () => {
  const dataDir = newDataDir();
  const bad = { CODE_TTL: 'soon', NODE_ENV: 'production' };
  const { code, output } = await runService({ DATA_DIR: dataDir, ...bad });
  expect(code).toBe(2);
  expect(output).toContain('CODE_TTL: got "soon"; allowed: ');
  for (const name of ['BASE_URL', 'EVENTSTORE_URL', 'DATABASE_URL', 'TOKEN_KEYS', 'PERSONAL_DATA_KEYS'])
    expect(output).toContain(`${name}: got nothing; required when NODE_ENV is production`);
  expect(output).not.toMatch(/^\s+at /m);
  expect(existsSync(dataDir)).toBe(false);
});
