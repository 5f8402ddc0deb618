import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { untilWeDie } from '../support/until-we-die.ts';

const main = join(packageRoot, 'dist/src/main.js');

export type RunningService = {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  /** What it has printed so far, on both outputs. */
  readonly output: () => string;
};
export type EndedService = { readonly code: number | null; readonly output: string };

/** The built service with these settings and no others. */
export function spawnService(env: Record<string, string>): ChildProcess {
  if (!existsSync(main)) throw new Error('the service is not built: npm run build');
  const child = spawn(...untilWeDie(process.execPath, main), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], PORT: '0', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Starts the service and waits until it says where it is ready. */
export async function startService(env: Record<string, string>): Promise<RunningService> {
  const child = spawnService(env);
  if (!child.stdout || !child.stderr) throw new Error('no output');
  const seen: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => seen.push(chunk.toString()));
  const ready = new Promise<RunningService>((resolve) => {
    createInterface({ input: child.stdout ?? process.stdin }).on('line', (line) => {
      seen.push(`${line}\n`);
      const baseUrl = /\bready\b.*?(http:\/\/[^\s"]+)/.exec(line)?.[1];
      if (baseUrl) resolve({ child, baseUrl, output: () => seen.join('') });
    });
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the service ended before it was ready:\n${seen.join('')}`);
  });
  return await Promise.race([ready, ended]);
}

/** Starts a service that is expected to give up by itself. */
export async function runService(env: Record<string, string>): Promise<EndedService> {
  const child = spawnService(env);
  if (!child.stdout || !child.stderr) throw new Error('no output');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, output: stdout + stderr };
}

export async function stopService({ child }: RunningService, signal: NodeJS.Signals): Promise<number | null> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
  return child.exitCode;
}
