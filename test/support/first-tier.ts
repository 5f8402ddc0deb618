import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

// What a test of the first tier may not do, because it makes `npm test` slow, or its outcome depend on the machine.

const refuse = (what: string): never => {
  throw new Error(`${what}: only tests of the second tier do, whose files are named NAME.system.test.ts`);
};

/** Of processes: the PostgreSQL that all files share is started by the run, not by a test. */
const starting = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const;
for (const name of starting)
  Object.assign(childProcess, {
    [name]: (file: unknown) => refuse(`the test starts a process (${String(file).slice(0, 80)})`),
  });

/** In milliseconds; what the service itself waits for is its own affair. */
const longestWait = 200;
const wait = timers.setTimeout;
Object.assign(timers, {
  setTimeout: (ms: number | undefined, ...rest: readonly [unknown?, object?]) =>
    (ms ?? 0) > longestWait && isOfTest(new Error().stack)
      ? refuse(`the test waits for ${ms} ms`)
      : wait(ms, ...rest),
});

/** Whether the caller of the caller is a test, or what helps it. */
const isOfTest = (stack = ''): boolean => /\/test\/(?!support\/first-tier)/.test(stack.split('\n')[2] ?? '');

syncBuiltinESMExports();
