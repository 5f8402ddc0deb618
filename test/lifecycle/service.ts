import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { endInstance, type Instance, readyInstance, spawnInstance } from '../support/servers/instance.ts';

export type RunningService = Instance;
export type EndedService = { readonly code: number | null; readonly output: string };

/** The built service with these settings and no others. */
export function spawnService(env: Record<string, string>): ChildProcess {
  const child = spawnInstance(env);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Starts the service and waits until it says where it is ready. */
export const startService = (env: Record<string, string>): Promise<RunningService> =>
  readyInstance(spawnService(env));

/** Starts a service that is expected to give up by itself. */
export async function runService(env: Record<string, string>): Promise<EndedService> {
  const child = spawnService(env);
  if (!child.stdout || !child.stderr) throw new Error('no output');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, output: stdout + stderr };
}

export const stopService = (service: RunningService, signal: NodeJS.Signals): Promise<number | null> =>
  endInstance(service, signal);
