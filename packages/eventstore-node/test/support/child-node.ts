import { fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { NodeReport, NodeSettings } from '../../src/main.ts';

export type ChildNode = {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Everything it has printed to stderr. */
  readonly stderr: () => string;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** Lets go of the channel between the processes, as a parent does that is killed. */
  disconnect(): void;
  close(): Promise<void>;
};

const programs = {
  written: ['../../src/main.ts', ['--import', 'tsx']],
  built: ['../../dist/main.js', []],
} satisfies Record<string, readonly [string, string[]]>;

/**
 * The node as a child process, with this environment and no other.
 * @param program as it is written; `built` starts faster, after `npm run build`
 * @throws what the node reports instead of ready
 */
export const startChildNode = async (
  settings: NodeSettings,
  environment: Record<string, string> = {},
  program: 'written' | 'built' = 'written',
): Promise<ChildNode> => {
  const [file, execArgv] = programs[program];
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
    env: { ...environment, EMBEDDED_NODE: JSON.stringify(settings) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv,
  });
  const printed: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => void printed.push(chunk.toString()));
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  const line = await new Promise<string>((resolve) => {
    if (child.stdout) createInterface(child.stdout).once('line', resolve);
    void exited.then(() => resolve('{"ready":false,"message":"it ended without a word"}'));
  });
  const report = JSON.parse(line) as NodeReport;
  if (!report.ready) throw new Error(report.message);
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
  };
  const { url, port, pid } = report;
  return {
    url,
    port,
    pid,
    exited,
    close,
    stderr: () => printed.join(''),
    disconnect: () => child.disconnect(),
  };
};
