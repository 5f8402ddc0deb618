import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { closedInAnyCase } from './closing.ts';

/** Starts a program of `bench/ceilings` as a child process and returns its first line of output, parsed. */
export const startChild = <T>(name: string, ...args: readonly string[]): Promise<Child<T>> =>
  startChildIn<T>(process.env, name, ...args);

export type Child<T> = { readonly pid: number; readonly said: T; stop(): Promise<void> };

/** The same with a given environment. */
export const startChildIn = <T>(
  env: NodeJS.ProcessEnv,
  name: string,
  ...args: readonly string[]
): Promise<Child<T>> => startProgram<T>(env, `ceilings/${name}`, ...args);

/** The same for a program of any folder of `bench`. */
export const startProgram = async <T>(
  env: NodeJS.ProcessEnv,
  name: string,
  ...args: readonly string[]
): Promise<Child<T>> => {
  const child = spawn(process.execPath, [...entryOf(name), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.pipe(process.stderr, { end: false });
  let lastWords = '';
  createInterface({ input: child.stderr }).on('line', (line) => (lastWords = line));
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit');
  const close = closedInAnyCase(() => stop(child, ended));
  const first = await Promise.race([
    once(lines, 'line'),
    once(child, 'close').then(([code]) => {
      void close();
      throw new Error(`${name} ended with ${String(code)} before it said where it is: ${lastWords}`);
    }),
  ]);
  return { pid: child.pid ?? 0, said: JSON.parse(String(first[0])) as T, stop: close };
};

/** Next to this file; when run from the sources it needs a loader. */
const entryOf = (name: string): readonly string[] => {
  const isSource = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(new URL(`./${name}.${isSource ? 'ts' : 'js'}`, import.meta.url));
  return isSource ? ['--import', 'tsx', file] : [file];
};

const stop = async (child: ChildProcess, ended: Promise<unknown>): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  await ended;
};
