// A mutation round: puts each fault of mutation-faults.json into the source, alone, and says whether the tests that
// import the changed file find it within three minutes. It can be stopped and started again: results are appended to a file,
// and a fault that has one is not tried again.
//
//   node scripts/mutation-round.js RESULTS.jsonl
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const mostMs = 180_000; // what all tests of the first tier take
const root = resolve(import.meta.dirname, '..');
if (!process.argv[2]) throw new Error('name the file for the results');
const results = resolve(process.argv[2]);
if (execFileSync('git', ['-C', root, 'status', '--porcelain', 'src'], { encoding: 'utf8' }) !== '')
  throw new Error(`${root}/src has changes: commit them first`);

/** A line of `file` is replaced; it is there exactly once. */
const faults = JSON.parse(readFileSync(join(import.meta.dirname, 'mutation-faults.json'), 'utf8'));
const read = () =>
  existsSync(results) ? readFileSync(results, 'utf8').trim().split('\n').filter(Boolean).map(JSON.parse) : [];
const done = new Set(read().map(({ id }) => id));

/** Where the names of our packages lead, as package.json says. */
const packages = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).imports;
const targetOf = (path, target) =>
  target.startsWith('#') ? join(packages[target]['@grantbook/source']) : join(dirname(path), target);

/** What each file of sources and tests imports, of ours. */
const imports = new Map(
  execFileSync('git', ['-C', root, 'ls-files', '*.ts'], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((path) => [
      path,
      [...readFileSync(join(root, path), 'utf8').matchAll(/(?:from|import\()\s*'([.#][^']+)'/g)].map(
        ([, target]) => targetOf(path, target),
      ),
    ]),
);

/** The tests of the first tier that import a file, by way of others. Vitest's own `related` transforms every module. */
const testsOf = (file) => {
  const reached = new Set([file]);
  for (const each of reached)
    for (const [path, imported] of imports) if (imported.includes(each)) reached.add(path);
  return [...reached].filter((path) => path.endsWith('.test.ts') && !path.endsWith('.system.test.ts'));
};

/** In a process group of its own, with the servers that it starts. */
let running = null;
const endRun = (signal = 'SIGTERM') => running && process.kill(-running.pid, signal);

const runTests = async (file) => {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const began = Date.now();
  running = spawn(
    process.execPath,
    [vitest, 'run', ...testsOf(file), '--bail', '1', '--project', 'first', '--no-color'],
    {
      cwd: root,
      env: { ...process.env, GRANTBOOK_NEAREST_TO: file },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [running.stdout, running.stderr]) stream.on('data', (bytes) => (output += bytes));
  const timer = setTimeout(() => endRun(), mostMs);
  const [code] = await once(running, 'close');
  try {
    endRun('SIGKILL'); // a worker that did not end with its run
  } catch {
    // All have ended.
  }
  running = null;
  clearTimeout(timer);
  const seconds = Math.round((Date.now() - began) / 1000);
  // What failed before the minute was over counts, also if the run was not done with its end.
  const by =
    / FAIL +(?:\S+ +)?(\S+\.test\.ts.*)/.exec(output)?.[1] ??
    /❯ +(?:\S+ +)?(\S+\.test\.ts) \(.*\d failed/.exec(output)?.[1] ??
    null;
  return {
    result: by !== null || code === 1 ? 'found' : code === 0 ? 'not found' : 'not in time',
    seconds,
    by,
  };
};

for (const { id, file, line, fault } of faults) {
  if (done.has(id)) continue;
  const path = join(root, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(`${line}\n`).length !== 2) throw new Error(`${id}: the line is not there once: ${path}`);
  const restore = () => writeFileSync(path, source);
  const stop = () => {
    endRun();
    restore();
    process.exit(130);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  writeFileSync(
    path,
    source.replace(`${line}\n`, () => `${fault}\n`),
  );
  try {
    const outcome = await runTests(file);
    appendFileSync(results, `${JSON.stringify({ id, ...outcome })}\n`);
    process.stdout.write(`${id} ${outcome.result} ${outcome.seconds} s ${outcome.by ?? ''}\n`);
  } finally {
    restore();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

const all = read();
const count = (result) => all.filter((each) => each.result === result).length;
process.stdout.write(`${count('found')} of ${all.length} found; not in time: ${count('not in time')}\n`);
