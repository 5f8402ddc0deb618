import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '#eventstore-node/postgres';
import { findBinaries } from '../../../packages/eventstore-node/src/postgres/binaries.ts';
import { linkLibraries } from '../../../packages/eventstore-node/src/postgres/library-links.ts';
import { chooseRunAs } from '../../../packages/eventstore-node/src/postgres/run-as.ts';
import { clearStalePidFile } from '../../../packages/eventstore-node/src/postgres/stale-pid-file.ts';
import { isAlive } from '../../../packages/eventstore-node/src/postgres/processes.ts';
import { until } from '../../../src/embedded/until.ts';
import { patience } from '../../support/patience.ts';
import { roomyFolder } from '../../support/servers/roomy-folder.ts';
import { holdPostgres } from './holder.ts';
import { valuesOf } from '../../support/query.ts';

const FORGETFUL = { fsync: 'off' };
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** Not so in a project below /root, where an ordinary user could not work at all. */
const othersMayEnter =
  isRoot &&
  spawnSync('/bin/sh', ['-c', 'test -r "$1" && test -x "$2"', 'sh', import.meta.filename, process.execPath], {
    uid: NOBODY,
    gid: NOBODY,
  }).status === 0;
const root = mkdtempSync(join(roomyFolder(), 'grantbook-pg-'));
const pristine = join(root, 'pristine');
chmodSync(root, 0o755);

beforeAll(async () => {
  await (await startPostgres({ dataDir: pristine, settings: FORGETFUL })).close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A data folder of its own with a cluster that was shut down properly. */
const dataFolder = (parent = mkdtempSync(join(root, 'd-'))): string => {
  chmodSync(parent, 0o755);
  execFileSync('cp', ['-a', pristine, join(parent, 'data')]);
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  return join(parent, 'data');
};

const serverPid = (dataDir: string) =>
  Number(readFileSync(join(dataDir, 'cluster/postmaster.pid'), 'utf8').split('\n')[0]);

const start = async (dataDir: string) => {
  const postgres = await startPostgres({ dataDir, settings: FORGETFUL });
  onTestFinished(postgres.close);
  return postgres;
};

/** As startPostgres starts it, but nothing tells it when its parent ends. */
const startOrphan = async (dataDir: string): Promise<void> => {
  const binaries = await findBinaries('');
  const runAs = await chooseRunAs(binaries.postgres, dataDir);
  const libraryPath = (await linkLibraries(binaries, join(dataDir, 'lib'))) ?? '';
  const settings = ['-c', 'listen_addresses=', '-c', `unix_socket_directories=${join(dataDir, 'run')}`];
  const [command, args] = runAs.command(binaries.postgres, ['-D', join(dataDir, 'cluster'), ...settings]);
  mkdirSync(join(dataDir, 'run'), { recursive: true });
  if (runAs.owner) chownSync(join(dataDir, 'run'), runAs.owner.uid, runAs.owner.gid);
  const forgetful = args.map((arg, index) => (args[index - 1] === '--pdeathsig' ? 'clear' : arg));
  const env = { PATH: process.env['PATH'], LD_LIBRARY_PATH: libraryPath };
  const child = spawn(command, forgetful, { cwd: '/', detached: true, stdio: 'ignore', env, ...runAs.ids });
  onTestFinished(() => void child.kill('SIGINT'));
  const pidFile = join(dataDir, 'cluster/postmaster.pid');
  await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').includes('ready'), patience);
};

test('what was committed is there after a stop and a second start', async () => {
  const dataDir = dataFolder();
  const first = await startPostgres({ dataDir, settings: FORGETFUL });
  await first.createDatabase('kept');
  await first.createDatabase('kept'); // there already: nothing happens
  await valuesOf(first.url('kept'), 'create table t as select 42 as answer');
  await first.close();
  const second = await start(dataDir);
  expect(await valuesOf(second.url('kept'), 'select answer from t')).toEqual([42]);
});

test('the product writes to the disk before it says so, sorts the same everywhere and has no TCP port', async () => {
  const postgres = await startPostgres({ dataDir: dataFolder() });
  onTestFinished(postgres.close);
  const url = postgres.url('postgres');
  expect(await valuesOf(url, 'show fsync')).toEqual(['on']);
  expect(await valuesOf(url, 'show synchronous_commit')).toEqual(['on']);
  expect(await valuesOf(url, 'show listen_addresses')).toEqual(['']);
  expect(await valuesOf(url, `select datlocale from pg_database where datname = 'postgres'`)).toEqual([
    'C.UTF-8',
  ]);
});

const withoutPassword = (url: string) => url.replace(/:[^:@/]+@/, '@');

test('CL-01: a cluster that was made to trust everybody asks for a password again after a start', async () => {
  const dataDir = dataFolder();
  const hba = join(dataDir, 'cluster/pg_hba.conf');
  writeFileSync(hba, 'local all all trust\nlocal replication all trust\n');
  const postgres = await start(dataDir);
  expect(await valuesOf(postgres.url('postgres'), 'select 1')).toEqual([1]);
  await expect(valuesOf(withoutPassword(postgres.url('postgres')), 'select 1')).rejects.toThrow('password');
  await expect(
    valuesOf(postgres.url('postgres').replace(/:[^:@/]+@/, ':guess@'), 'select 1'),
  ).rejects.toThrow('password authentication failed');
  expect(readFileSync(hba, 'utf8')).not.toMatch(/trust|peer/);
});

test('CL-01: the password is another one at each start, and the last one is worth nothing', async () => {
  const dataDir = dataFolder();
  const first = await startPostgres({ dataDir, settings: FORGETFUL });
  const old = first.url('postgres');
  await first.close();
  const second = await start(dataDir);
  expect(second.url('postgres')).not.toBe(old);
  await expect(valuesOf(old, 'select 1')).rejects.toThrow('password authentication failed');
});

test('a folder that is too deep for a unix socket gets one elsewhere, which goes away with the server', async () => {
  const deep = join(mkdtempSync(join(root, 'd-')), 'x'.repeat(100));
  mkdirSync(deep);
  const dataDir = dataFolder(deep);
  chmodSync(join(deep, '..'), 0o755);
  const postgres = await startPostgres({ dataDir, settings: FORGETFUL });
  const socket = new URL(postgres.url('postgres')).searchParams.get('host') ?? '';
  expect(await valuesOf(postgres.url('postgres'), 'select 1')).toEqual([1]);
  await postgres.close();
  expect([socket.startsWith(dataDir), existsSync(socket)]).toEqual([false, false]);
});

test('the server has a process group of its own, so that Ctrl-C reaches it through us only', async () => {
  const dataDir = dataFolder();
  await start(dataDir);
  const pid = serverPid(dataDir);
  const groupId = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[2];
  expect(groupId).toBe(String(pid));
});

test('a cluster that was only half made when its maker was killed is made anew', async () => {
  const parent = mkdtempSync(join(root, 'd-'));
  chmodSync(parent, 0o755);
  mkdirSync(join(parent, 'data/cluster.new-1'), { recursive: true });
  writeFileSync(join(parent, 'data/cluster.new-1/PG_VERSION'), '18\n');
  const postgres = await start(join(parent, 'data'));
  expect(await valuesOf(postgres.url('postgres'), 'select 1')).toEqual([1]);
  expect(existsSync(join(parent, 'data/cluster.new-1'))).toBe(false);
});

test('a cluster of another major version is refused, saying what to do', async () => {
  const dataDir = dataFolder();
  writeFileSync(join(dataDir, 'cluster/PG_VERSION'), '9\n');
  await expect(startPostgres({ dataDir })).rejects.toThrow(/made by PostgreSQL 9.*pg_upgrade.*DATA_DIR/s);
});

test('a server that cannot start is reported with the end of its log', async () => {
  const dataDir = dataFolder();
  await expect(startPostgres({ dataDir, settings: { max_connections: 'many' } })).rejects.toThrow(
    /max_connections/,
  );
});

test('the server ends with a service that is killed, and the next start finds everything committed', async () => {
  const dataDir = dataFolder();
  const { child, url } = await holdPostgres(dataDir);
  const pid = serverPid(dataDir);
  await valuesOf(url, 'create table t as select 42 as answer');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await until(() => !isAlive(pid), patience)).toBe(true);
  expect(await valuesOf((await start(dataDir)).url('postgres'), 'select answer from t')).toEqual([42]);
});

test('a server that outlived its service is stopped by the next start', async () => {
  const dataDir = dataFolder();
  await startOrphan(dataDir);
  const orphan = serverPid(dataDir);
  const postgres = await start(dataDir);
  expect(isAlive(orphan)).toBe(false);
  expect(await valuesOf(postgres.url('postgres'), 'select 1')).toEqual([1]);
});

test('after a kill -9 of the server itself the next start recovers', async () => {
  const dataDir = dataFolder();
  const { child, url } = await holdPostgres(dataDir);
  await valuesOf(url, 'create table t as select 42 as answer');
  process.kill(serverPid(dataDir), 'SIGKILL');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await valuesOf((await start(dataDir)).url('postgres'), 'select answer from t')).toEqual([42]);
});

test('a pid file whose number is a process of somebody else by now is removed', async () => {
  const dataDir = dataFolder();
  const cluster = join(dataDir, 'cluster');
  writeFileSync(
    join(cluster, 'postmaster.pid'),
    `${process.pid}\n${cluster}\n1\n5432\n/nowhere\n\n 1 1\nready\n`,
  );
  expect(await clearStalePidFile(cluster)).toBe('removed-file');
  expect(existsSync(join(cluster, 'postmaster.pid'))).toBe(false);
});

test('a copy of a running data folder does not stop the original', async () => {
  const original = dataFolder();
  const postgres = await start(original);
  const copy = join(mkdtempSync(join(root, 'd-')), 'copy');
  execFileSync('cp', ['-a', original, copy]);
  expect(await clearStalePidFile(join(copy, 'cluster'))).toBe('removed-file');
  expect(await valuesOf(postgres.url('postgres'), 'select 1')).toEqual([1]);
});

test.skipIf(!othersMayEnter)('under root the server runs as nobody, without any capability', async () => {
  const dataDir = dataFolder();
  await start(dataDir);
  const status = readFileSync(`/proc/${serverPid(dataDir)}/status`, 'utf8');
  expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m);
  expect(status).toMatch(/^CapEff:\t0+$/m);
});

test.skipIf(!isRoot)('below a folder that only root may enter it can do one thing more: enter', async () => {
  const locked = mkdtempSync(join(root, 'locked-'));
  const dataDir = dataFolder(locked);
  chmodSync(locked, 0o700);
  await start(dataDir);
  const status = readFileSync(`/proc/${serverPid(dataDir)}/status`, 'utf8');
  expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m);
  expect(status).toMatch(/^CapEff:\t0*2$/m); // CAP_DAC_OVERRIDE
});

test.skipIf(!othersMayEnter)(
  'an ordinary user starts it as himself, and root later goes on as that user',
  async () => {
    const home = mkdtempSync(join(root, 'home-'));
    chownSync(home, NOBODY, NOBODY);
    const { child, url } = await holdPostgres(join(home, 'data'), { uid: NOBODY });
    await valuesOf(url, 'create table t as select 42 as answer').finally(() => child.kill('SIGTERM'));
    await once(child, 'exit');
    expect(await valuesOf((await start(join(home, 'data'))).url('postgres'), 'select answer from t')).toEqual(
      [42],
    );
  },
);
