import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';
import timers from 'node:timers';
import promises from 'node:timers/promises';
import { promisify } from 'node:util';
import threads from 'node:worker_threads';

// What a test of the first tier may not do, because it makes `npm test` slow, or its outcome depend on the machine.

const elsewhere = 'move the test to NAME.system.test.ts, next to its file';
const refuse = (what: string): never => {
  throw new Error(`${what}: ${elsewhere}`);
};

/** Of processes: the PostgreSQL that all files share is started by the run, not by a test. */
const starting = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const;
for (const name of starting)
  Object.assign(childProcess, {
    [name]: (file: unknown) => refuse(`the test starts a process (${String(file).slice(0, 80)})`),
  });

const root = resolve(import.meta.dirname, '../..');

const ofThisRepository = (file: string): string =>
  /^\/(?!node_modules\/)([^?]+)/.exec(file.split(root)[1] ?? '')?.[1] ?? '';

type Refused = NonNullable<Parameters<typeof Error.captureStackTrace>[1]>;

/** The file that calls this function, if it is in this repository. Timers are many: a whole stack takes too long. */
const callerOf = (refused: Refused): string => {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const place: { readonly stack?: string } = {};
  Object.assign(Error, {
    stackTraceLimit: 1,
    prepareStackTrace: (_: unknown, [site]: readonly NodeJS.CallSite[]) => site?.getFileName() ?? '',
  });
  Error.captureStackTrace(place, refused);
  const file = place.stack ?? '';
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return ofThisRepository(file);
};

/** The place in it as it is written: `test/a.test.ts:12`. */
const caller = (): string => {
  const lines = new Error().stack?.split('\n').slice(1) ?? [];
  const line = lines.find((each) => !each.includes(import.meta.filename))?.split(root)[1] ?? '';
  const [, file = '', place = ''] = /^\/([^:?]+).*?(:\d+):\d+\)?$/.exec(line) ?? [];
  return `${file}${place}`;
};

/** Not of libraries: the compiler of what is loaded by `require` has a thread. */
const { Worker } = threads;
Object.assign(threads, {
  Worker: class extends Worker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      if (callerOf(new.target) !== '') refuse(`the test starts a thread (${String(given[0]).slice(0, 80)})`);
      super(...given);
    }
  },
});

/** In milliseconds; what the service itself waits for is its own affair. */
const longestWait = 200;

/** Says of a wait that is too long where it is, if that is a test or what helps it. */
const tooLong = (ms: unknown, wait: Refused): string | null => {
  const file = Number(ms) > longestWait ? callerOf(wait) : '';
  return /^(?:test|packages\/[^/]+\/test)\//.test(file) ? `${caller()} waits for ${String(ms)} ms` : null;
};

type Wait = { readonly what: string; readonly timer: object; isOver: boolean };
let waits: readonly Wait[] = [];

/** Timers of the test's own, which are either waits or deadlines: a deadline is cleared before it is over. */
const noting = (start: typeof setTimeout) => {
  const noted = (call: (...given: unknown[]) => void, ms?: number, ...given: unknown[]): object => {
    const what = tooLong(ms, noted);
    if (what === null) return start(call, ms, ...given);
    const over = () => {
      wait.isOver = true;
      call(...given);
    };
    const wait: Wait = { what, timer: start(over, ms), isOver: false };
    waits = [...waits, wait];
    return wait.timer;
  };
  return noted;
};

/** Node marks those that are over or cleared, whatever cleared them. */
const isRunning = ({ timer }: Wait): boolean => !(timer as { readonly _destroyed: boolean })._destroyed;

/** What is wrong with the timers of a file since this was asked last; at its end, none may be left either. */
export const wrongWaits = (atTheEnd: boolean): readonly string[] => {
  const over = waits.filter(({ isOver }) => isOver);
  const left = waits.filter((wait) => !wait.isOver && isRunning(wait));
  waits = atTheEnd ? [] : left;
  return [
    ...over.map(({ what }) => `${what}: await a condition, or ${elsewhere}`),
    ...(atTheEnd ? left.map(({ what }) => `${what}, which is not cleared`) : []),
  ];
};

const refusing = <Given extends readonly unknown[], T>(wait: (...given: Given) => T) => {
  const refused = (...given: Given): T => {
    const what = tooLong(given[0], refused);
    return what === null ? wait(...given) : refuse(what);
  };
  return refused;
};
const { scheduler } = promises;
Object.assign(scheduler, { wait: refusing(scheduler.wait.bind(scheduler)) });
Object.assign(promises, {
  setTimeout: refusing(promises.setTimeout),
  setInterval: refusing(promises.setInterval),
});
const own = {
  setTimeout: Object.assign(noting(setTimeout), { [promisify.custom]: promises.setTimeout }),
  setInterval: noting(setInterval as typeof setTimeout),
};
Object.assign(globalThis, own);
Object.assign(timers, own);

syncBuiltinESMExports();
