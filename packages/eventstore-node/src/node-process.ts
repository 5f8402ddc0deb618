import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { NodeReport, NodeSettings } from './main.ts';

/** The embedded event store node in a process of its own. */
export type NodeProcess = {
  readonly url: string;
  /** Resolves when the process has ended, whoever ended it. */
  readonly ended: Promise<unknown>;
  readonly close: () => Promise<void>;
};

/**
 * Starts the node over a database and waits until it serves.
 * @throws with its own words when it does not come up
 */
export async function startNodeProcess(settings: NodeSettings): Promise<NodeProcess> {
  const child = spawnNode(settings);
  const ended = once(child, 'exit');
  const report = await firstReport(child);
  if (!report.ready) {
    child.kill('SIGKILL');
    throw new Error(`the embedded event store did not start: ${report.message}`);
  }
  return { url: report.url, ended, close: () => stop(child, ended) };
}

const PATH = '/usr/local/bin:/usr/bin:/bin';

/** In a process group of its own, so that Ctrl-C reaches it through us only; it ends when our end of the channel does. */
function spawnNode(settings: NodeSettings): ChildProcess {
  const [command = process.execPath, ...args] = [...untilWeDie(), process.execPath, ...entry()];
  return spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { PATH, EMBEDDED_NODE: JSON.stringify(settings) },
  });
}

/** Where there is setpriv, not even a child that hangs outlives us. Nothing acknowledged is lost by a SIGKILL. */
function untilWeDie(): readonly string[] {
  const prefix = ['setpriv', '--pdeathsig', 'KILL'];
  const { status } = spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true'], {
    stdio: 'ignore',
    env: { PATH },
  });
  return status === 0 ? prefix : [];
}

/** From the sources (in tests) the child needs the same loader that we have. */
function entry(): readonly string[] {
  const isSource = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(new URL(`main.${isSource ? 'ts' : 'js'}`, import.meta.url));
  return isSource ? ['--import', 'tsx', file] : [file];
}

async function firstReport(child: ChildProcess): Promise<NodeReport> {
  if (!child.stdout) throw new Error('the embedded event store has no output');
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit')]);
  if (typeof line === 'string') return JSON.parse(line) as NodeReport;
  return { ready: false, error: 'Exit', message: `it ended at once (${child.signalCode ?? child.exitCode})` };
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended.finally(() => clearTimeout(impatience));
}
