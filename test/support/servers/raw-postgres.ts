import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  findBinaries,
  type PostgresBinaries,
} from '../../../packages/eventstore-node/src/postgres/binaries.ts';
import { exited, launch, type Launcher } from '../../../packages/eventstore-node/src/postgres/launch.ts';
import { linkLibraries } from '../../../packages/eventstore-node/src/postgres/library-links.ts';
import { startPostmaster } from '../../../packages/eventstore-node/src/postgres/postmaster.ts';
import { signal } from '../../../packages/eventstore-node/src/postgres/processes.ts';
import { chooseRunAs } from '../../../packages/eventstore-node/src/postgres/run-as.ts';
import { clearStalePidFile } from '../../../packages/eventstore-node/src/postgres/stale-pid-file.ts';
import { withClient } from '../../../src/common/with-client.ts';
import { freePort } from './free-port.ts';
import { roomyFolder } from './roomy-folder.ts';

/** A PostgreSQL server on a local port that a test starts, kills, promotes and demotes as it likes; without passwords. */
export type RawPostgres = {
  readonly port: number;
  readonly url: (database: string) => string;
  readonly start: () => Promise<void>;
  /** kill -9 of the postmaster and all its children. */
  readonly kill: () => Promise<void>;
  /** A fast shutdown. */
  readonly stop: () => Promise<void>;
  /** One statement as its superuser. */
  readonly run: (statement: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** A running standby of it, by streaming replication. */
  readonly standby: () => Promise<RawPostgres>;
  readonly close: () => Promise<void>;
};

const user = 'tester';
const settings = [
  'fsync=off',
  'shared_buffers=32MB',
  'max_connections=120',
  'autovacuum=off',
  'wal_level=replica',
];

/** @param given by default the embedded PostgreSQL, which cannot make standbys */
export const startRawPostgres = async (given?: PostgresBinaries): Promise<RawPostgres> => {
  const folder = await mkdtemp(join(roomyFolder(), 'grantbook-raw-'));
  const binaries = given ?? (await findBinaries(''));
  const libraryPath = await linkLibraries(binaries, join(folder, 'lib'));
  const launcher = { binaries, runAs: await chooseRunAs(binaries.postgres, folder), libraryPath };
  const cluster = await clusterIn(launcher, folder);
  const options = ['--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  await done(
    launch(launcher, binaries.initdb, [`--pgdata=${cluster}`, `--username=${user}`, ...options], 'pipe'),
  );
  return serve(launcher, folder, cluster);
};

const clusterIn = async ({ runAs }: Launcher, folder: string): Promise<string> => {
  const cluster = join(folder, 'cluster');
  await mkdir(cluster, { mode: 0o700 });
  if (runAs.owner) await chown(cluster, runAs.owner.uid, runAs.owner.gid);
  return cluster;
};

const serve = async (launcher: Launcher, folder: string, cluster: string): Promise<RawPostgres> => {
  const port = await freePort();
  const url = (database: string) => `postgresql://${user}@127.0.0.1:${port}/${database}`;
  const all = [...settings, 'listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories='];
  const standbys: RawPostgres[] = [];
  let running: { readonly pid: number; readonly ended: Promise<unknown>; stop(): Promise<void> } | null =
    null;
  const server: RawPostgres = {
    port,
    url,
    async start() {
      await clearStalePidFile(cluster);
      const [logFile, args] = [join(folder, 'postgres.log'), all.flatMap((each) => ['-c', each])];
      running = await startPostmaster(launcher, { cluster, logFile, args });
    },
    async kill() {
      if (!running) return;
      for (const pid of [running.pid, ...childrenOf(running.pid)]) signal(pid, 'SIGKILL');
      await running.ended;
      running = null;
    },
    async stop() {
      await running?.stop();
      running = null;
    },
    async run(statement) {
      const config = { connectionString: url('postgres') };
      return withClient(
        config,
        async (client) => (await client.query<Record<string, unknown>>(statement)).rows,
      );
    },
    async standby() {
      const own = await mkdtemp(join(roomyFolder(), 'grantbook-raw-'));
      const theirs = { ...launcher, runAs: await chooseRunAs(launcher.binaries.postgres, own) };
      const copy = await clusterIn(theirs, own);
      const program = join(launcher.binaries.postgres, '..', 'pg_basebackup');
      const from = ['-h', '127.0.0.1', '-p', String(port), '-U', user];
      await done(launch(theirs, program, [...from, '-D', copy, '-R', '-X', 'stream', '-c', 'fast'], 'pipe'));
      const standby = await serve(theirs, own, copy);
      standbys.push(standby);
      return standby;
    },
    async close() {
      await Promise.all(standbys.map((standby) => standby.close()));
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
};

const childrenOf = (pid: number): readonly number[] => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').map(Number).filter(Boolean);
  } catch {
    return []; // ended, or not Linux: they end by themselves
  }
};

const done = async (child: ChildProcess): Promise<void> => {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await exited(child);
  if (code !== 0)
    throw new Error(`${child.spawnfile} failed with exit code ${code}:\n${output.slice(-2000)}`);
};
