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

type Refused = NonNullable<Parameters<typeof Error.captureStackTrace>[1]>;
/** Where it was called; the text is written when it is asked for. */
type Place = { readonly stack?: string };

/** Timers are many, so this is all that is remembered of each. */
const placeOf = (refused: Refused): Place => {
  const { stackTraceLimit } = Error;
  const place: Place = {};
  Error.stackTraceLimit = 1;
  Error.captureStackTrace(place, refused);
  Error.stackTraceLimit = stackTraceLimit;
  return place;
};

/** The file and line, if they are of this repository: `test/a.test.ts:12`. */
const own = ({ stack = '' }: Place): string => {
  const [, file = 'node_modules', place = ''] =
    /^\/([^:?]+).*?(:\d+):\d+\)?$/.exec(stack.split(root)[1] ?? '') ?? [];
  return file.startsWith('node_modules') ? '' : `${file}${place}`;
};

/** Not of libraries: the compiler of what is loaded by `require` has a thread. */
const { Worker } = threads;
Object.assign(threads, {
  Worker: class extends Worker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      if (own(placeOf(new.target)) !== '')
        refuse(`the test starts a thread (${String(given[0]).slice(0, 80)})`);
      super(...given);
    }
  },
});

/** In milliseconds; what the service itself waits for is its own affair. */
const longestWait = 200;

/** Says of a wait that is too long where it is, if that is a test or what helps it. */
const tooLong = (place: Place, ms: unknown): readonly string[] =>
  /^(?:test|packages\/[^/]+\/test)\//.test(own(place)) ? [`${own(place)} waits for ${String(ms)} ms`] : [];

type Wait = { readonly place: Place; readonly ms: unknown; readonly timer: object; isOver: boolean };
let waits: Wait[] = [];

/** Those of tests are either waits or deadlines: a deadline is cleared before it is over. */
const noting = (start: typeof setTimeout) => {
  const noted = (call: (...given: unknown[]) => void, ms?: number, ...given: unknown[]): object => {
    if (!(Number(ms) > longestWait)) return start(call, ms, ...given);
    const over = () => {
      wait.isOver = true;
      call(...given);
    };
    const wait: Wait = { place: placeOf(noted), ms, timer: start(over, ms), isOver: false };
    waits.push(wait);
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
  const of = (some: readonly Wait[]) => some.flatMap(({ place, ms }) => tooLong(place, ms));
  return [
    ...of(over).map((what) => `${what}: await a condition, or ${elsewhere}`),
    ...(atTheEnd ? of(left).map((what) => `${what}, which is not cleared`) : []),
  ];
};

const refusing = <Given extends readonly unknown[], T>(wait: (...given: Given) => T) => {
  const refused = (...given: Given): T => {
    const [what] = Number(given[0]) > longestWait ? tooLong(placeOf(refused), given[0]) : [];
    return what === undefined ? wait(...given) : refuse(what);
  };
  return refused;
};
const { scheduler } = promises;
Object.assign(scheduler, { wait: refusing(scheduler.wait.bind(scheduler)) });
Object.assign(promises, {
  setTimeout: refusing(promises.setTimeout),
  setInterval: refusing(promises.setInterval),
});
const noted = {
  setTimeout: Object.assign(noting(setTimeout), { [promisify.custom]: promises.setTimeout }),
  setInterval: noting(setInterval as typeof setTimeout),
};
Object.assign(globalThis, noted);
Object.assign(timers, noted);

syncBuiltinESMExports();
