import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { assertClean, commitOf, NotComparable } from '../../bench/against/commit.ts';
import { median, orderOf, ratioOf, tableOf } from '../../bench/against/turns.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const burst = (cpu: number, perSecond = 100) => ({ cpu, perSecond });

test('a ratio is of the same round, and its median, least and most are reported', () => {
  // The third round found a machine that was half as fast.
  const ours = [burst(1.1), burst(1), burst(2.4)];
  const theirs = [burst(1), burst(1), burst(2)];
  const { median: middle, least, most } = ratioOf(ours, theirs);
  expect([middle, least, most].map((each) => each.toFixed(2))).toEqual(['1.10', '1.00', '1.20']);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  const table = tableOf(['this version', 'cafe'], [{ measure: 'refresh', sides: [ours, theirs] }]);
  expect(table).toMatch(/refresh.*1\.10 ms \(100\/s\).*1\.00 ms \(100\/s\).*1\.10 \(1\.00, 1\.20\)/);
});

test('every side begins equally often', () => {
  expect([0, 1, 2, 3].map((round) => orderOf(round, 3))).toEqual([
    [0, 1, 2],
    [1, 2, 0],
    [2, 0, 1],
    [0, 1, 2],
  ]);
});

const clone = () => {
  const folder = temporaryFolder(onTestFinished);
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      encoding: 'utf8',
    }).trim();
  git('init', '--quiet');
  writeFileSync(join(folder, 'file'), 'one');
  git('add', 'file');
  git('commit', '--quiet', '--message', 'one');
  return { folder, git };
};

test('an unknown commit, and changes that are in no commit, are refused with what to do', () => {
  const { folder, git } = clone();
  expect(commitOf(folder, 'HEAD')).toBe(git('rev-parse', 'HEAD'));
  for (const name of ['0123abcd', 'no-such-branch', '--all', 'HEAD:file'])
    expect(() => commitOf(folder, name)).toThrow(
      new NotComparable(
        `--against ${name}: this clone has no such commit; \`git log --oneline\` lists those that it has, and a shallow clone gets the others by \`git fetch --unshallow\``,
      ),
    );
  assertClean(folder);
  writeFileSync(join(folder, 'file'), 'two');
  expect(() => assertClean(folder)).toThrow('changes that are in none: commit or stash them');
  expect(() => assertClean(temporaryFolder(onTestFinished))).toThrow('needs a clone of the repository');
});
