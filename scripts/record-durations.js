// Writes test/durations.json: what each file of tests takes, by running all of them. On a quiet machine.
//
//   node scripts/record-durations.js [PATH...]     with paths, only those are measured, and the others are kept
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const file = join(root, 'test/durations.json');
const chosen = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'durations-'));
const measured = join(folder, 'durations.jsonl');
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=default', ...chosen],
  { cwd: root, env: { ...process.env, GRANTBOOK_DURATIONS: measured }, stdio: 'inherit' },
);
if (existsSync(measured)) {
  const lines = readFileSync(measured, 'utf8').trim().split('\n');
  const rounded = (/** @type {number} */ seconds) => Math.round(seconds * 10) / 10;
  const now = lines.map((line) => {
    const { path, cpu, wall } = JSON.parse(line);
    return [path, { cpu: rounded(cpu), wall: rounded(wall) }];
  });
  const kept = chosen.length === 0 ? [] : Object.entries(JSON.parse(readFileSync(file, 'utf8')));
  const all = new Map([...kept, ...now].filter(([path]) => existsSync(join(root, path))));
  const text = [...all]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, duration]) => `  ${JSON.stringify(path)}: ${JSON.stringify(duration)}`);
  writeFileSync(file, `{\n${text.join(',\n')}\n}\n`);
}
rmSync(folder, { recursive: true });
process.exitCode = status ?? 1;
