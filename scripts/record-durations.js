// Writes test/durations.json: what each file of tests takes, by running all of them, in seconds of a machine on which `work` takes
// 0.83 s, so that what was measured on another machine can be compared. On a quiet one.
//
//   node scripts/record-durations.js [--least] [PATH...]
//
// With paths, only those are measured, and the others are kept. `--least`: of what is recorded and what is measured the smaller is kept,
// as other work on the machine only adds.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const file = join(root, 'test/durations.json');
const given = process.argv.slice(2);
const chosen = given.filter((each) => each !== '--least');
const folder = mkdtempSync(join(tmpdir(), 'durations-'));
const measured = join(folder, 'durations.jsonl');
/** Seconds of CPU that some work takes now: texts, objects, and hashes. */
const work = () => {
  const before = process.cpuUsage();
  /** @type {Record<string, number>} */
  const counts = {};
  for (let at = 0; at < 3_000_000; at += 1)
    counts[`k${at % 5000}`] = (counts[`k${at % 5000}`] ?? 0) + (at % 7);
  for (let at = 0; at < 150_000; at += 1) createHash('sha256').update(`x${at}`).digest();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
};
const usual = 0.83;
const speed = () => usual / ([work(), work(), work()].toSorted((a, b) => a - b)[1] ?? usual);

const before = speed();
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=default', ...chosen],
  { cwd: root, env: { ...process.env, GRANTBOOK_DURATIONS: measured }, stdio: 'inherit' },
);
if (existsSync(measured)) {
  const lines = readFileSync(measured, 'utf8').trim().split('\n');
  const scale = (before + speed()) / 2;
  const rounded = (/** @type {number} */ seconds) => Math.round(seconds * scale * 10) / 10;
  const recorded = JSON.parse(readFileSync(file, 'utf8'));
  const now = lines.map((line) => {
    const { path, cpu, wall } = JSON.parse(line);
    const { [path]: known } = given.includes('--least') ? recorded : {};
    const least = (/** @type {'cpu' | 'wall'} */ of, /** @type {number} */ seconds) =>
      Math.min(rounded(seconds), known?.[of] ?? Infinity);
    return [path, { cpu: least('cpu', cpu), wall: least('wall', wall) }];
  });
  const kept = chosen.length === 0 ? [] : Object.entries(recorded);
  const all = new Map([...kept, ...now].filter(([path]) => existsSync(join(root, path))));
  const text = [...all]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([path, duration]) =>
        `  ${JSON.stringify(path)}: ${JSON.stringify(duration, null, 1).replaceAll(/\s+/g, ' ')}`,
    );
  writeFileSync(file, `{\n${text.join(',\n')}\n}\n`);
}
rmSync(folder, { recursive: true });
process.exitCode = status ?? 1;
