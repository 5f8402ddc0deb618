import { readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine, isAlive, signal, until } from './processes.ts';
import { removeShortSocketFolder } from './socket-folder.ts';

/** The pid file in the data folder of a running server. */
type PidFile = {
  readonly pid: number;
  readonly dataDir: string;
  readonly socketDir: string;
  readonly segmentId: string;
};

/**
 * Cleans up after a killed service: stops the server that it left running, and removes a pid file whose number now
 * belongs to another process (pids repeat in containers, and PostgreSQL would refuse to start).
 * @throws if that server does not stop
 */
export async function clearStalePidFile(
  cluster: string,
): Promise<'nothing' | 'stopped-orphan' | 'removed-file'> {
  const path = join(cluster, 'postmaster.pid');
  const file = await readPidFile(path);
  if (!file) return 'nothing';
  if (await isCopy(file, cluster)) return await removeFile(path);
  if (isServerOn(file.pid, file.dataDir)) {
    await stopOrphan(file);
    await removeShortSocketFolder(file.socketDir);
    return 'stopped-orphan';
  }
  await until(() => isUnattached(file.segmentId)); // its sessions end by themselves once they notice
  await removeShortSocketFolder(file.socketDir);
  return await removeFile(path);
}

async function removeFile(path: string): Promise<'removed-file'> {
  await rm(path, { force: true });
  return 'removed-file';
}

async function readPidFile(path: string): Promise<PidFile | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Math.abs(Number(lines[0])); // negative in single-user mode
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return {
    pid,
    dataDir: lines[1] ?? '',
    socketDir: lines[4] ?? '',
    segmentId: lines[6]?.split(/\s+/)[1] ?? '',
  };
}

/** Whether the data folder was copied together with its pid file: that server uses the original. */
async function isCopy({ dataDir }: PidFile, cluster: string): Promise<boolean> {
  const original = await realpath(dataDir).catch(() => null); // null: the original was moved, so the server is ours
  return original !== null && original !== (await realpath(cluster));
}

const isServerOn = (pid: number, dataDir: string): boolean => commandLine(pid).includes(`-D ${dataDir} `);

async function stopOrphan({ pid }: PidFile): Promise<void> {
  for (const name of ['SIGINT', 'SIGQUIT'] as const) {
    signal(pid, name);
    if (await until(() => !isAlive(pid))) return;
  }
  throw new Error(
    `the PostgreSQL server ${pid} that a killed service left behind does not stop; stop it by hand`,
  );
}

/** Linux only: elsewhere PostgreSQL itself refuses to start while old sessions are active. */
async function isUnattached(segmentId: string): Promise<boolean> {
  const segments = await readFile('/proc/sysvipc/shm', 'utf8').catch(() => '');
  const [columns = [], ...rows] = segments.split('\n').map((line) => line.trim().split(/\s+/));
  const segment = rows.find((row) => row[columns.indexOf('shmid')] === segmentId);
  return !segment || segment[columns.indexOf('nattch')] === '0';
}
