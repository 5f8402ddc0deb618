import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { NodeReport, NodeSettings } from './main.ts';

export type NodeProcess = {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Ends it in peace: open calls get UNAVAILABLE, what was submitted is finished. */
  close(): Promise<void>;
};

/** The node did not start; the message is its own. */
export class NodeDidNotStart extends Error {
  override readonly name = 'NodeDidNotStart';
}

/**
 * Starts the node as a child process that ends with this one.
 * @throws NodeDidNotStart for example when another node serves the database, or the port is taken
 */
export const spawnNode = async (
  settings: NodeSettings,
  environment: NodeJS.ProcessEnv = {},
): Promise<NodeProcess> => {
  const fromSource = import.meta.url.endsWith('.ts');
  const entry = fileURLToPath(new URL(fromSource ? './main.ts' : './main.js', import.meta.url));
  const child = fork(entry, [], {
    env: { ...environment, EMBEDDED_NODE: JSON.stringify(settings) },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: fromSource ? ['--import', 'tsx'] : [],
  });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  const { url, port, pid } = await ready(child, exited);
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
  };
  return { url, port, pid, exited, close };
};

const ready = async (
  child: ChildProcess,
  exited: Promise<unknown>,
): Promise<Extract<NodeReport, { ready: true }>> => {
  const stdout = child.stdout;
  if (!stdout) throw new NodeDidNotStart('the child process has no stdout');
  const line = await new Promise<string | undefined>((resolve) => {
    createInterface(stdout).once('line', resolve);
    void exited.then(() => resolve(undefined));
  });
  if (line === undefined) throw new NodeDidNotStart('the node ended before it was ready');
  const report = JSON.parse(line) as NodeReport;
  if (!report.ready) throw new NodeDidNotStart(report.message);
  return report;
};
