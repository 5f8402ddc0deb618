import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { packageRoot } from '../../../src/process/package-root.ts';
import { watchOutput } from '../trouble/watched-lines.ts';
import { untilWeDie } from './until-we-die.ts';

const main = join(packageRoot, 'dist/src/main.js');

/** As NODE_OPTIONS of an instance: its clock goes forward by a minute at the first SIGWINCH, and back at the second. */
export const clockThatSteps = `--import=data:text/javascript,${encodeURIComponent(
  'const now = Date.now; let step = 0; Date.now = () => now() + step; process.on("SIGWINCH", () => { step = 60000 - step; });',
)}`;

/** A server process that reports ready. */
export type Instance = {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  /** Its output so far, of both streams. */
  readonly output: () => string;
};

/**
 * The built service with only these settings; it ends with this process. Independent of the test runner.
 * @param program another version, built elsewhere
 */
export const spawnInstance = (env: Readonly<Record<string, string>>, program = main): ChildProcess => {
  if (!existsSync(program)) throw new Error('the service is not built: npm run build');
  const child = spawn(...untilWeDie(process.execPath, program), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], PORT: '0', ...env },
  });
  watchOutput(child.stdout, child.stderr);
  return child;
};

/** Waits until it prints its address. */
export const readyInstance = async (child: ChildProcess): Promise<Instance> => {
  if (!child.stdout || !child.stderr) throw new Error('no output');
  const seen: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => seen.push(chunk.toString()));
  const ready = new Promise<Instance>((resolve) => {
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
};

/** Sends the signal and waits for the end of the process. */
export const endInstance = async (
  { child }: Pick<Instance, 'child'>,
  signal: NodeJS.Signals,
): Promise<number | null> => {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
  return child.exitCode;
};
