import { afterAll, beforeAll, beforeEach, type RunnerTestSuite, TestRunner } from 'vitest';
import { watchTrouble } from './watched-lines.ts';

type Expected = { readonly pattern: RegExp; readonly mustCome: boolean; hasCome: boolean };

/** Of the file that runs: several tests may run at once. */
const newWatch = () => ({
  lines: [] as string[],
  ofSuites: new Set<Expected>(),
  ofTests: new Set<Expected>(),
  running: 0,
});
let watch = newWatch();

/**
 * Says that the service logs alarms or stack traces that match, in the test, else in the suite or file: it fails unless
 * each pattern matches one. Whatever matches none fails the test.
 */
export const expectTrouble = (...patterns: readonly RegExp[]): void => expectAll(patterns, true);

/** The same, if whether the trouble comes depends on the moment. */
export const allowTrouble = (...patterns: readonly RegExp[]): void => expectAll(patterns, false);

const expectAll = (patterns: readonly RegExp[], mustCome: boolean): void => {
  const all = patterns.map((pattern): Expected => ({ pattern, mustCome, hasCome: false }));
  if (TestRunner.getCurrentTest()) return all.forEach((each) => watch.ofTests.add(each));
  beforeAll(() => all.forEach((each) => watch.ofSuites.add(each)));
  // oxlint-disable-next-line eslint/no-empty-pattern -- Vitest reads the text of the first parameter
  afterAll(({}, suite) => {
    sift();
    for (const each of all) watch.ofSuites.delete(each);
    if (!isPartlySkipped(suite)) requireAll(all);
  });
};

/** Of a part of the tests, not everything comes that is expected of all. */
const isPartlySkipped = (suite: Readonly<Pick<RunnerTestSuite, 'tasks'>>): boolean =>
  suite.tasks.some((task) => task.mode !== 'run' || (task.type === 'suite' && isPartlySkipped(task)));

/** Leaves the lines that nobody expects. */
const sift = (): void => {
  const open = [...watch.ofTests, ...watch.ofSuites];
  watch.lines = watch.lines.filter((line) => {
    const fitting = open.filter(({ pattern }) => pattern.test(line));
    for (const each of fitting) each.hasCome = true;
    return fitting.length === 0;
  });
};

const requireAll = (expected: Iterable<Expected>): void => {
  const missing = [...expected].filter(({ mustCome, hasCome }) => mustCome && !hasCome);
  if (missing.length > 0)
    throw new Error(`no trouble of the service is ${missing.map(({ pattern }) => pattern).join(', ')}`);
};

const judge = (): void => {
  sift();
  const [lines, expected] = [watch.lines, [...watch.ofTests]];
  watch.lines = [];
  watch.ofTests.clear();
  if (lines.length > 0)
    throw new Error(`the service logs trouble that the test does not expect:\n${lines.join('\n')}`);
  requireAll(expected);
};

/** For the setup of each file. */
export const failOnTrouble = (): void => {
  const own = newWatch();
  watch = own;
  watchTrouble((line) => void own.lines.push(line));
  beforeEach(({ onTestFinished }) => {
    watch.running += 1;
    // first of all, so that it is the last one
    onTestFinished(() => {
      watch.running -= 1;
      if (watch.running === 0) judge();
    });
  });
  afterAll(judge);
};
