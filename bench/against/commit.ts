import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tell } from '../tell.ts';

/** What cannot be compared, and what to do. */
export class NotComparable extends Error {}

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-C', folder, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();

/** @throws {NotComparable} where `root` is no clone or has changes, which no commit would name */
export const assertClean = (root: string): void => {
  try {
    if (git(root, 'status', '--porcelain', '--untracked-files=no') === '') return;
  } catch {
    throw new NotComparable('--against needs a clone of the repository, with git; this is none');
  }
  throw new NotComparable(
    '--against compares commits, and there are changes that are in none: commit or stash them',
  );
};

/**
 * The full id of a commit of the clone.
 * @throws {NotComparable} for what names none
 */
export const commitOf = (root: string, name: string): string => {
  try {
    return git(root, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`);
  } catch {
    throw new NotComparable(
      `--against ${name}: this clone has no such commit; \`git log --oneline\` lists those that it has, and a shallow clone gets the others by \`git fetch --unshallow\``,
    );
  }
};

/**
 * The commit in a worktree of its own in the system's temporary folder, installed and built. The next call finds it there;
 * `git worktree remove` takes it away.
 * @returns the folder
 */
export const builtWorktree = (root: string, commit: string): string => {
  const folder = join(tmpdir(), `grantbook-bench-${commit}`);
  const built = join(folder, 'node_modules/.built-for-bench');
  if (existsSync(built)) return folder;
  tell(`building ${commit.slice(0, 8)} in ${folder}`);
  git(root, 'worktree', 'prune');
  if (!existsSync(folder)) git(root, 'worktree', 'add', '--detach', folder, commit);
  const run = (...args: readonly string[]) =>
    execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  run('ci', '--no-audit', '--no-fund', '--prefer-offline');
  run('run', '--silent', 'build');
  writeFileSync(built, '');
  return folder;
};
