import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exited, launch, type Launcher } from './launch.ts';

/** A running server and the way to stop it. */
export type Postmaster = {
  readonly pid: number;
  /** Resolves when the server has ended, for any reason. */
  readonly ended: Promise<number | null>;
  readonly stop: () => Promise<void>;
};

const STARTUP_MS = 60_000; // crash recovery of a large log takes a while
const SHUTDOWN_MS = 20_000;

/**
 * Starts the server and waits until it accepts connections.
 * @throws with the last lines of its log if it does not start
 */
export async function startPostmaster(
  launcher: Launcher,
  {
    cluster,
    logFile,
    args,
  }: { readonly cluster: string; readonly logFile: string; readonly args: readonly string[] },
): Promise<Postmaster> {
  await rename(logFile, `${logFile}.1`).catch(() => undefined);
  const log = await open(logFile, 'w', 0o600);
  const child = launch(launcher, launcher.binaries.postgres, ['-D', cluster, ...args], log.fd);
  const ended = exited(child);
  ended.catch(() => undefined);
  await log.close();
  const isReady = await Promise.race([ended.then(() => false), untilReady(cluster, child.pid)]);
  if (!isReady) {
    child.kill('SIGQUIT');
    throw new Error(
      `PostgreSQL did not start; the end of ${logFile}:\n${(await readFile(logFile, 'utf8')).slice(-2000)}`,
    );
  }
  return { pid: child.pid ?? 0, ended, stop: () => stop(child, ended) };
}

/** Like pg_ctl: the eighth line of the pid file is the server's state. */
async function untilReady(cluster: string, pid: number | undefined): Promise<boolean> {
  const deadline = Date.now() + STARTUP_MS;
  while (Date.now() < deadline) {
    const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    if (Number(lines[0]) === pid && lines[7]?.trim() === 'ready') return true;
    await sleep(10);
  }
  return false;
}

/** Fast shutdown: ends the sessions and writes a checkpoint. SIGQUIT only if that hangs; committed data is safe. */
async function stop(
  child: { kill(signal: NodeJS.Signals): boolean },
  ended: Promise<number | null>,
): Promise<void> {
  child.kill('SIGINT');
  const impatience = setTimeout(() => child.kill('SIGQUIT'), SHUTDOWN_MS);
  await ended.finally(() => clearTimeout(impatience));
}
