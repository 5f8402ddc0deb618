import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { NodeReport, NodeSettings } from './main.ts';

/** The embedded event store node as a child process. */
export type NodeProcess = {
  readonly url: string;
  /** Resolves when the process has ended, for any reason. */
  readonly ended: Promise<unknown>;
  readonly close: () => Promise<void>;
};

/** A process that loads what a node needs, while its database may still be starting, and waits for its settings. */
export type LaunchedNode = {
  /**
   * Starts the node on its database and waits until it is ready.
   * @throws with the node's own message if it does not start
   */
  readonly start: (settings: NodeSettings) => Promise<NodeProcess>;
  readonly close: () => Promise<void>;
};

/** @param shown in the list of processes, behind the program: whose node it is */
export function launchNodeProcess(...shown: readonly string[]): LaunchedNode {
  const child = spawnNode(shown);
  const ended = once(child, 'exit');
  ended.catch(() => undefined); // that it cannot be spawned is known to whoever waits for it
  const close = () => stop(child, ended);
  const start = async (settings: NodeSettings): Promise<NodeProcess> => {
    child.send(settings, () => undefined); // a failure ends the process, or has ended it
    const report = await firstReport(child, ended);
    if (!report.ready) {
      child.kill('SIGKILL');
      throw new Error(`the embedded event store did not start: ${report.message}`);
    }
    return { url: report.url, ended, close };
  };
  return { start, close };
}

const PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * In a process group of its own, so that Ctrl-C does not reach it directly; it ends when our end of the channel closes.
 */
function spawnNode(shown: readonly string[]): ChildProcess {
  const [command = process.execPath, ...args] = [...untilWeDie(), process.execPath, ...entry(), ...shown];
  return spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { PATH },
  });
}

/** With setpriv, even a hanging child ends with us. A SIGKILL loses nothing that was acknowledged. */
function untilWeDie(): readonly string[] {
  const prefix = ['setpriv', '--pdeathsig', 'KILL'];
  const { status } = spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true'], {
    stdio: 'ignore',
    env: { PATH },
  });
  return status === 0 ? prefix : [];
}

/** When run from the sources (in tests), the child needs the same loader as this process. */
function entry(): readonly string[] {
  const isSource = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(new URL(`main.${isSource ? 'ts' : 'js'}`, import.meta.url));
  return isSource ? ['--import', 'tsx', file] : [file];
}

async function firstReport(child: ChildProcess, ended: Promise<unknown>): Promise<NodeReport> {
  if (!child.stdout) throw new Error('the embedded event store has no output');
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line'), ended.then(() => null)]);
  if (first) return JSON.parse(String(first[0])) as NodeReport;
  return { ready: false, error: 'Exit', message: `it ended at once (${child.signalCode ?? child.exitCode})` };
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended.finally(() => clearTimeout(impatience));
}
