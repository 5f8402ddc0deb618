import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { askFacts } from '../../src/embedded/control-socket.ts';
import { claimDataDir, claimFromCommand, DataDirInUse } from '../../src/embedded/owner-lock.ts';
import { until } from '../../src/embedded/until.ts';
import { attachEmbedded, startEmbedded } from '../../src/embedded/start-embedded.ts';
import { patience } from '../support/patience.ts';
import { eventually } from '../support/eventually.ts';
import { untilWeDie } from '../support/servers/until-we-die.ts';
import { dataDirOfFile, newDataDir, processesOn } from './processes.ts';
import { runBeside } from '../cli/live-service.ts';
import { valuesOf } from '../support/query.ts';

const script = fileURLToPath(new URL('hold-embedded.js', import.meta.url));
const need = { postgres: true, eventStore: true };

type Held = { readonly databaseUrl: string; readonly eventStoreUrl: string; readonly refused?: string };

/** Whoever finds it made need not make it; each of these tests leaves it without a process. */
const lasting = dataDirOfFile();

const spawnHolder = (dataDir: string): ChildProcess => {
  const child = spawn(...untilWeDie(process.execPath, script, dataDir), {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'] },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
};

const answerOf = async (child: ChildProcess): Promise<Held> => {
  if (!child.stdout) throw new Error('no output');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return JSON.parse(String(line)) as Held;
};

const nothingLeft = (dataDir: string) => until(() => processesOn(dataDir).length === 0, patience);

/** All of a first start. */
test.each([0, 100, 300, 500, 700, 900, 1_100, 1_400])(
  'a service that is killed after about %d ms of its first start is recovered from',
  async (milliseconds) => {
    const dataDir = newDataDir();
    const killed = spawnHolder(dataDir);
    await Promise.race([answerOf(killed), new Promise((resolve) => setTimeout(resolve, milliseconds))]);
    killed.kill('SIGKILL');
    const next = await startEmbedded({ dataDir, need });
    expect(await valuesOf(next.databaseUrl ?? '', 'select 1')).toEqual([1]);
    await next.close();
    expect(await nothingLeft(dataDir)).toBe(true);
  },
);

test('of several services that start at once on a folder exactly one gets it', async () => {
  const dataDir = newDataDir();
  const claims = await Promise.allSettled([1, 2, 3, 4].map(() => claimDataDir(dataDir)));
  const locks = claims.flatMap((claim) => (claim.status === 'fulfilled' ? [claim.value] : []));
  expect(locks).toHaveLength(1);
  const refusals = claims.flatMap((claim) => (claim.status === 'rejected' ? [claim.reason as unknown] : []));
  expect(refusals.map((reason) => reason instanceof DataDirInUse)).toEqual([true, true, true]);
  await locks[0]?.release();
  await (await claimDataDir(dataDir)).release();
});

test('a service waits for a command that has the folder, and is refused when it does not end', async () => {
  const dataDir = newDataDir();
  const command = await claimDataDir(dataDir);
  await expect(claimFromCommand(dataDir, 100)).rejects.toThrow(
    `process ${process.pid} is using DATA_DIR ${dataDir}: a command that is not done yet`,
  );
  const service = claimFromCommand(dataDir, 60_000);
  await expect(claimDataDir(dataDir)).rejects.toThrow(DataDirInUse); // by then the service has asked, too
  await command.release();
  await (await service).release();
});

test('a service that waits is refused as soon as the folder turns out to be that of another service', async () => {
  const dataDir = newDataDir();
  const first = await claimDataDir(dataDir);
  onTestFinished(first.release);
  const second = claimFromCommand(dataDir, 3_600_000);
  first.publish({ baseUrl: 'http://127.0.0.1:4' });
  await expect(second).rejects.toThrow(`a service already runs on DATA_DIR ${dataDir}`);
});

test('a folder is the same one by any of its names', async () => {
  const dataDir = newDataDir();
  const lock = await claimDataDir(dataDir);
  onTestFinished(lock.release);
  symlinkSync(dataDir, `${dataDir}-alias`);
  await expect(claimDataDir(`${dataDir}-alias`)).rejects.toThrow(DataDirInUse);
});

test('a folder too deep for a unix socket is locked and answers all the same', async () => {
  const deep = join(newDataDir(), 'x'.repeat(120));
  const lock = await claimDataDir(deep);
  onTestFinished(lock.release);
  lock.publish({ baseUrl: 'http://127.0.0.1:2' });
  await expect(claimDataDir(deep)).rejects.toThrow('at http://127.0.0.1:2');
});

test('the command line works next to a running service, and by itself when there is none', async () => {
  const dataDir = lasting;
  const alone = await attachEmbedded({ dataDir, need });
  await valuesOf(alone.databaseUrl ?? '', 'create table beside as select 42 as answer');
  await alone.close();
  expect(processesOn(dataDir)).toEqual([]);

  const service = await startEmbedded({ dataDir, need });
  onTestFinished(service.close);
  service.announce('http://127.0.0.1:3');
  const beside = await attachEmbedded({ dataDir, need });
  expect(beside).toMatchObject({
    databaseUrl: service.databaseUrl,
    eventStoreUrl: service.eventStoreUrl,
    baseUrl: 'http://127.0.0.1:3',
  });
  await beside.close(); // nothing of the service's
  expect(await valuesOf(service.databaseUrl ?? '', 'select answer from beside')).toEqual([42]);
});

test('a command that comes while the service is starting waits for it', async () => {
  const dataDir = lasting;
  const [service, beside] = await Promise.all([
    startEmbedded({ dataDir, need }),
    attachEmbedded({ dataDir, need }),
  ]);
  onTestFinished(service.close);
  expect(beside.eventStoreUrl).toBe(service.eventStoreUrl);
});

test('a command waits, and says so, for another that has only one of the servers it needs, and continues when that is done', async () => {
  const dataDir = newDataDir();
  const lock = await claimDataDir(dataDir);
  lock.publish({ databaseUrl: 'postgresql://127.0.0.1:1/grantbook' });
  const waits = vi.fn<(why: string) => void>();
  const attached = attachEmbedded({ dataDir, need, waits });
  await eventually(() => expect(waits).toHaveBeenCalled());
  expect(waits.mock.calls[0]?.[0]).toMatch(
    /^process \d+ is using DATA_DIR .*: a command that is not done yet/,
  );
  await lock.release();
  const own = await attached;
  expect(own.eventStoreUrl).toMatch(/^esdb:/);
  await own.close();
});

test('with real servers for both nothing is started, and no folder is made', async () => {
  const dataDir = newDataDir();
  const none = await startEmbedded({ dataDir, need: { postgres: false, eventStore: false } });
  await none.close();
  expect(readdirSync(join(dataDir, '..'))).toEqual([]);
});

test('an embedded server that dies is reported', async () => {
  const dataDir = lasting;
  const service = await startEmbedded({ dataDir, need: { postgres: true, eventStore: false } });
  onTestFinished(service.close);
  const [server] = processesOn(dataDir).filter((line) => line.includes('/postgres -D'));
  process.kill(Number(server?.split(' ')[0]), 'SIGKILL');
  expect(await service.failed).toBe('the embedded PostgreSQL has ended');
});

/** What others may do, by mode, with everything below a folder; links lead to what is not ours. */
const openToOthers = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => statSync(path).mode & READ_OR_WRITE);
const READ_OR_WRITE = 0o066;

test('CL-01: no file of a running service can be read by another user', async () => {
  const dataDir = newDataDir();
  const service = await startEmbedded({ dataDir, need });
  onTestFinished(service.close);
  expect(openToOthers(dataDir)).toEqual([]);
  expect(statSync(dataDir).mode & 0o067).toBe(0);
  expect((statSync(join(dataDir, 'control.sock')).mode & 0o777).toString(8)).toBe('600');
});

test('CL-01: a folder that a umask left open is closed at the start', async () => {
  const dataDir = newDataDir();
  mkdirSync(dataDir, { mode: 0o755 });
  writeFileSync(join(dataDir, 'demo.json'), '{}', { mode: 0o644 });
  const lock = await claimDataDir(dataDir);
  onTestFinished(lock.release);
  expect(openToOthers(dataDir)).toEqual([]);
  expect(statSync(dataDir).mode & 0o067).toBe(0);
});

/** Every path of a folder, with what could change without its name. */
const stateOf = (folder: string): readonly string[] =>
  ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })].toSorted().map((path) => {
    const { mode, uid, gid, size, mtimeMs } = statSync(join(folder, path));
    return `${path} ${mode.toString(8)} ${uid} ${gid} ${size} ${mtimeMs}`;
  });

test.each([
  ['without a format', null, 'was made before version 1.0.0, and nothing converts it'],
  ['of another format', '2\n', 'has the format 2, and this version knows only 1'],
])('a folder with data %s is refused by everybody, and left as it is', async (_kind, format, why) => {
  const dataDir = newDataDir();
  mkdirSync(join(dataDir, 'postgres/cluster'), { recursive: true });
  chmodSync(dataDir, 0o755);
  writeFileSync(join(dataDir, 'token-keys'), 'k1:x', { mode: 0o644 });
  if (format !== null) writeFileSync(join(dataDir, 'FORMAT'), format);
  const before = stateOf(dataDir);
  const sentence = `DATA_DIR ${dataDir}, in which nothing was changed, ${why}: set DATA_DIR to an empty folder`;
  await expect(startEmbedded({ dataDir, need })).rejects.toThrow(sentence);
  await expect(attachEmbedded({ dataDir, need })).rejects.toThrow(sentence);
  const { json } = await runBeside({ DATA_DIR: dataDir }, ['doctor', '--json']);
  expect((json as { findings: readonly object[] }).findings).toContainEqual({
    check: 'embedded servers',
    state: 'failure',
    found: `DATA_DIR ${dataDir}, in which nothing was changed, ${why}`,
    advice: 'set DATA_DIR to an empty folder',
  });
  expect((await runBeside({ DATA_DIR: dataDir }, ['migrate'])).stderr).toContain(sentence);
  expect(stateOf(dataDir)).toEqual(before);
});

test('a folder with the keys of an installation but no data yet is used, and says its format from then on', async () => {
  const dataDir = newDataDir();
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'token-keys'), 'k1:x');
  writeFileSync(join(dataDir, 'FORMAT'), ''); // as after a crash
  await (await claimDataDir(dataDir)).release();
  expect(readFileSync(join(dataDir, 'FORMAT'), 'utf8')).toBe('1\n');
  mkdirSync(join(dataDir, 'postgres'));
  const noted = statSync(join(dataDir, 'FORMAT'), { bigint: true }).mtimeNs;
  await (await claimDataDir(dataDir)).release();
  expect(statSync(join(dataDir, 'FORMAT'), { bigint: true }).mtimeNs, 'a start writes it once').toBe(noted);
});

test('CL-01: a folder into which every user may write is refused and left as it is', async () => {
  const shared = newDataDir();
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  await expect(claimDataDir(shared)).rejects.toThrow('is writable for every user of this machine');
  expect(statSync(shared).mode & 0o7777).toBe(0o1777);
});

test('CL-10: the lock of a process that was killed is gone with it', async () => {
  const dataDir = newDataDir();
  const killed = spawnHolder(dataDir);
  expect(await until(() => existsSync(join(dataDir, 'control.sock')), patience)).toBe(true);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  const lock = await claimDataDir(dataDir);
  onTestFinished(lock.release);
  expect(await askFacts(dataDir)).toEqual({ pid: process.pid });
});
