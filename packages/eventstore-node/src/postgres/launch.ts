import { type ChildProcess, spawn } from 'node:child_process';
import type { PostgresBinaries } from './binaries.ts';
import type { RunAs } from './run-as.ts';

/** Everything needed to start a PostgreSQL program. */
export type Launcher = {
  readonly binaries: PostgresBinaries;
  readonly runAs: RunAs;
  readonly libraryPath: string | null;
};

/**
 * Starts `program` in a process group of its own: Ctrl-C in a terminal must not stop the database before this process.
 */
export function launch(
  { runAs, libraryPath }: Launcher,
  program: string,
  args: readonly string[],
  output: 'pipe' | number,
  input: 'pipe' | 'ignore' = 'ignore',
): ChildProcess {
  const [command, allArgs] = runAs.command(program, args);
  return spawn(command, allArgs, {
    cwd: '/',
    detached: true,
    stdio: [input, output, output],
    env: {
      LC_ALL: 'C',
      TZ: 'UTC',
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ...(libraryPath && { LD_LIBRARY_PATH: libraryPath }),
    },
    ...runAs.ids,
  });
}

/** Resolves with the exit code (null after a signal); rejects when the program cannot be started at all. */
export const exited = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve, reject) => {
        child.once('exit', resolve);
        child.once('error', reject);
      });
