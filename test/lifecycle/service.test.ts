import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { askFacts } from '../../src/embedded/control-socket.ts';
import { until } from '../../src/embedded/processes.ts';
import { dataDirOfFile, newDataDir, processesOn } from './processes.ts';
import { runService, spawnService, startService, stopService } from './service.ts';

vi.setConfig({ testTimeout: 90_000 }); // several starts each, perhaps on a busy machine

/** Whoever finds it made need not make it; each of these tests leaves it without a process. */
const lasting = dataDirOfFile();

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
const nothingLeft = (dataDir: string) => until(() => processesOn(dataDir).length === 0);

test('the first start makes everything, and SIGTERM ends it with 0 and leaves no process', async () => {
  const dataDir = lasting;
  const service = await startService({ DATA_DIR: dataDir });
  expect(service.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  expect(await isReady(service.baseUrl)).toBe(true);
  expect(await stopService(service, 'SIGTERM')).toBe(0);
  expect(service.output()).not.toContain('has ended');
  expect(processesOn(dataDir)).toEqual([]);
});

/** What a start has got to when the signal comes, seen from the outside: the folder, PostgreSQL, the node. */
const moments = [
  ['the data folder is claimed', {}, 'dist/src/main.js', 'control.sock'],
  ['PostgreSQL runs', {}, 'postgres -D', 'postgres'],
  ['the event store runs', {}, 'node/main.js', 'postgres'],
  [
    'a real event store is waited for',
    { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' },
    'postgres -D',
    'token-keys',
  ],
] as const;

test.each(process.env['GRANTBOOK_SLOW_TESTS'] === undefined ? moments.slice(1, 2) : moments)(
  'a service that is told to stop when %s stops cleanly with 0',
  async (_moment, settings, process, file) => {
    const dataDir = newDataDir();
    const child = spawnService({ DATA_DIR: dataDir, ...settings });
    const exited = once(child, 'exit');
    const isThere = () => processesOn(dataDir).some((line) => line.includes(process));
    expect(await until(() => isThere() && existsSync(join(dataDir, file)))).toBe(true);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(processesOn(dataDir)).toEqual([]);
    await stopService(await startService({ DATA_DIR: dataDir }), 'SIGTERM');
  },
);

test('a demo that cannot be seeded is said and missed, and the service runs without it', async () => {
  const dataDir = newDataDir();
  mkdirSync(join(dataDir, 'demo.json'), { recursive: true, mode: 0o711 });
  const service = await startService({ DATA_DIR: dataDir });
  expect(await isReady(service.baseUrl)).toBe(true);
  expect((await fetch(`${service.baseUrl}/demo`)).status).toBe(404);
  await stopService(service, 'SIGTERM');
  expect(service.output()).toContain('there is no demo in DATA_DIR/demo.json');
  expect(service.output()).not.toContain('Connect the demo');
});

test('without Kafka the start says once what that means, and readiness and metrics that it is so', async () => {
  const service = await startService({ DATA_DIR: lasting });
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
  await stopService(service, 'SIGTERM');
  const said = service
    .output()
    .split('\n')
    .filter((line) => /kafka/i.test(line));
  expect(said).toEqual([
    expect.stringMatching(/^Without Kafka .* the relay will begin at its first event\.$/),
  ]);
});

test('a second start keeps what the first one has written, and SIGINT ends it like SIGTERM', async () => {
  const dataDir = lasting;
  const first = await startService({ DATA_DIR: dataDir });
  const log = await logOf(dataDir);
  await append(log, 'kept-1');
  expect(await stopService(first, 'SIGINT')).toBe(0);
  expect(processesOn(dataDir)).toEqual([]);
  const second = await startService({ DATA_DIR: dataDir });
  expect(await countEvents(await logOf(dataDir), 'kept-1')).toBe(1);
  expect(await stopService(second, 'SIGTERM')).toBe(0);
});

test('a kill -9 loses nothing that was acknowledged, and the next start leaves nothing of the killed one', async () => {
  const dataDir = lasting;
  const killed = await startService({ DATA_DIR: dataDir });
  const log = await logOf(dataDir);
  let acknowledged = 0;
  const writers = Array.from({ length: 8 }, async () => {
    for (;;) {
      await append(log, 'kept-2');
      if (++acknowledged === 100) killed.child.kill('SIGKILL');
    }
  });
  await Promise.allSettled(writers); // each goes on until its append fails
  const next = await startService({ DATA_DIR: dataDir });
  expect(await isReady(next.baseUrl)).toBe(true);
  expect(await countEvents(await logOf(dataDir), 'kept-2')).toBeGreaterThanOrEqual(acknowledged);
  await stopService(next, 'SIGTERM');
  expect(await nothingLeft(dataDir)).toBe(true);
});

test('when the embedded event store dies the service says so and stops with 1', async () => {
  const dataDir = lasting;
  const service = await startService({ DATA_DIR: dataDir });
  const [node] = processesOn(dataDir).filter((line) => line.includes('node/main.js'));
  const ended = once(service.child, 'exit');
  process.kill(Number(node?.split(' ')[0]), 'SIGKILL');
  expect((await ended)[0]).toBe(1);
  expect(service.output()).toContain('the embedded event store has ended');
  expect(processesOn(dataDir)).toEqual([]);
});

test('a busy port is named, with the setting to change, and everything that was started is stopped', async () => {
  const dataDir = lasting;
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await until(() => other.listening);
  const port = String((other.address() as AddressInfo).port);
  const { code, output } = await runService({ DATA_DIR: dataDir, PORT: port });
  expect(code).toBe(1);
  expect(output).toMatch(new RegExp(`PORT.*${port}|${port}.*PORT`));
  expect(output).not.toMatch(/^\s+at /m);
  expect(processesOn(dataDir)).toEqual([]);
});

test.each([
  ['HOST', { HOST: '203.0.113.9' }, 'HOST 203.0.113.9 with PORT 0 cannot be listened on (EADDRNOTAVAIL)'],
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

test('a second service on the same folder is refused, naming the first one', async () => {
  const dataDir = lasting;
  const first = await startService({ DATA_DIR: dataDir });
  const { code, output } = await runService({ DATA_DIR: dataDir });
  expect(code).toBe(1);
  expect(output).toContain(
    `a service already runs on DATA_DIR ${dataDir}: process ${first.child.pid} at ${first.baseUrl}`,
  );
  expect(output).not.toMatch(/^\s+at /m);
  expect(await isReady(first.baseUrl)).toBe(true);
  await stopService(first, 'SIGTERM');
});

test('bad settings are named, all at once, and nothing is started', async () => {
  const dataDir = newDataDir();
  const { code, output } = await runService({ DATA_DIR: dataDir, CODE_TTL: 'soon', RATE_LIMIT_TOKENS: '1' });
  expect(code).toBe(1);
  expect(output).toContain('CODE_TTL: got "soon"; allowed: ');
  expect(output).toContain('RATE_LIMIT_TOKENS: there is no such setting; did you mean RATE_LIMIT_TOKEN?');
  expect(output).not.toMatch(/^\s+at /m);
});

test('production is refused without real servers', async () => {
  const { code, output } = await runService({ DATA_DIR: newDataDir(), NODE_ENV: 'production' });
  expect(code).toBe(1);
  for (const name of ['BASE_URL', 'EVENTSTORE_URL', 'DATABASE_URL', 'TOKEN_KEYS', 'PERSONAL_DATA_KEYS']) {
    expect(output).toContain(`${name}: got nothing; required when NODE_ENV is production`);
  }
});
