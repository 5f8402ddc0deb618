import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { commandTimeouts, defaultTimeouts } from '../../src/eventstore/client/timeouts.ts';
import { settingsFor } from '../operations/running.ts';
import { serverOf, urlThrough } from '../support/servers/databases.ts';
import { startTestServers } from '../support/test-servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runBeside } from './live-service.ts';
import { serverKilled } from '../support/trouble/server-killed.ts';
import { allowTrouble } from '../support/trouble/expect-trouble.ts';

allowTrouble(...serverKilled);

const id = 'ORG_01J00000000000000000000000';

/** One command for each way in which commands open connections and read their input. */
const commands: readonly (readonly string[])[] = [
  ['organization', 'list'],
  ['organization', 'create', '--name', 'X'],
  ['import', 'profiles', '-', '--organization', id],
  ['addon', 'show', id],
  ['audit', 'check-log'],
  ['audit', 'export', '--organization', id, '-o', 'export.ndjson'],
  ['history', 'drop', '2026-01'],
  ['projections', 'rebuild', 'lists'],
  ['parked', 'list'],
  ['keys', 'backup', '-o', 'keys.ndjson'],
  ['keys', 'rotate'],
  ['kafka', 'status'],
  ['log', 'copy', '--to', 'TARGET'],
  ['migrate'],
  ['doctor'],
];

/** A server's port that fails permanently after so many pieces of data of its clients; null: from the beginning. */
const failingAfter = async (target: number | string, pieces: number | null) => {
  const sockets = new Set<Socket>();
  let left = pieces ?? 0;
  const server = createServer((near) => {
    const far = typeof target === 'number' ? connect(target, '127.0.0.1') : connect(target);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket.on('error', () => undefined).on('close', () => other.destroy()));
    }
    far.on('data', (bytes) => near.write(bytes));
    near.on('data', (bytes) => {
      left -= 1;
      if (left >= 0) far.write(bytes);
      else close();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  if (pieces === null) close();
  return { port, close };
};

const { node, database } = await startTestServers();
const folder = temporaryFolder();

/** Processes that run commands; those that nobody uses now. */
const [children, idle]: [ChildProcess[], ChildProcess[]] = [[], []];
const startChild = (): ChildProcess => {
  const child = fork(join(import.meta.dirname, 'run-commands.js'), [], { cwd: folder, execArgv: [] });
  children.push(child);
  return child;
};
afterAll(() => children.forEach((child) => void child.kill('SIGKILL')));

/** What run-commands.js answers. */
type Done = { readonly hasEnded: boolean; readonly left: number; readonly output: string };

const settingsOn = (log: number, tables: number) => ({
  ...settingsFor({
    databaseUrl: urlThrough({ port: tables }, database.url),
    eventStoreUrl: `esdb://127.0.0.1:${log}?tls=false`,
  }),
  KAFKA_BROKERS: '127.0.0.1:1',
  HISTORY_RETENTION_DAYS: '31',
});

test.concurrent.for(
  (
    [
      ['before', null],
      ['while', 1],
      ['after', 5],
      ['long after', 12],
    ] as const
  ).flatMap(([moment, pieces]) =>
    (['event store', 'database'] as const).map((server) => ({ moment, pieces, server })),
  ),
)(
  'FX-43: no command stays alive after the $server has failed, $moment the others were opened',
  async ({ pieces, server }) => {
    const waiting = commands.values();
    const work = async () => {
      const child = idle.pop() ?? startChild();
      const ended = once(child, 'exit').then(() => ({ output: 'it ended' }));
      for (const args of waiting) {
        const [log, tables] = await Promise.all([
          failingAfter(node.port, server === 'event store' ? pieces : Infinity),
          failingAfter(serverOf(database.url), server === 'database' ? pieces : Infinity),
        ]);
        const answered = once(child, 'message').then(([done]) => done as Done);
        child.send({
          args: args.map((arg) => (arg === 'TARGET' ? node.url : arg)),
          env: settingsOn(log.port, tables.port),
        });
        const done = await Promise.race<Partial<Done>>([answered, ended]);
        for (const { close } of [log, tables]) close();
        const command = args.join(' ');
        expect({ command, ...done }).toEqual({ command, ...done, hasEnded: true, left: 0 });
        expect(done.output).not.toMatch(/^\s+at /m);
      }
      idle.push(child);
    };
    // Without the event store most of a command is waiting.
    await Promise.all(server === 'event store' ? [work(), work()] : [work()]);
  },
);

test('FX-43: a command whose append was cut off waits for its outcome, a read and the close for less than 8 s', () => {
  const { outcomeMs, unavailableMs, closeMs } = { ...defaultTimeouts, ...commandTimeouts };
  expect(outcomeMs + unavailableMs + closeMs).toBeLessThan(8_000);
});

test.concurrent.for(['database', 'event store'])(
  'FX-43: a command says soon that the %s takes connections and does not answer',
  async (server, { onTestFinished }) => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo;
    const isDatabase = server === 'database';
    const env = settingsFor({
      databaseUrl: isDatabase ? urlThrough({ port }, database.url) : database.url,
      eventStoreUrl: isDatabase ? node.url : `esdb://127.0.0.1:${port}?tls=false`,
    });
    const asked = [
      ['organization', 'list'],
      ...(isDatabase ? [['migrate'], ['keys', 'list'], ['history', 'status'], ['parked', 'list']] : []),
    ];
    const said = isDatabase
      ? 'The database of DATABASE_URL cannot be reached (no answer): check that PostgreSQL is running'
      : 'The event store of EVENTSTORE_URL accepts connections, but does not answer calls (';
    for (const ran of await Promise.all(asked.map((args) => runBeside(env, args))))
      expect(ran).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(said) as string });
  },
);
