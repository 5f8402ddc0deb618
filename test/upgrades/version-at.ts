import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/process/package-root.ts';

const run = promisify(execFile);

/** Another version of this program, built in a folder of its own. */
export type BuiltVersion = {
  readonly service: string;
  readonly commandLine: string;
  remove(): Promise<void>;
};

const git = (...args: readonly string[]) => ['-C', packageRoot, ...args];

/** Why a commit cannot be built here, as in an archive or a shallow clone; null when it can. */
export const whyMissing = (commit: string): string | null => {
  try {
    execFileSync('git', git('cat-file', '-e', `${commit}^{commit}`), { stdio: 'pipe' });
    return null;
  } catch {
    return `the history has no commit ${commit} (git fetch --unshallow)`;
  }
};

/** Checks the commit out next to this one and builds it, with the packages that are here when they are those of its lock. */
export const buildVersion = async (commit: string): Promise<BuiltVersion> => {
  const folder = mkdtempSync(join(tmpdir(), 'grantbook-version-'));
  const remove = async () => {
    await run('git', git('worktree', 'remove', '--force', folder)).catch(() => undefined);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    await run('git', git('worktree', 'prune'));
  };
  try {
    await run('git', git('worktree', 'add', '--detach', folder, commit));
    if (hasPackagesOf(folder)) linkPackages(folder);
    else await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
    await run('npm', ['run', '--silent', 'build'], { cwd: folder });
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    service: join(folder, 'dist/src/main.js'),
    commandLine: join(folder, 'dist/src/cli/grantbook.js'),
    remove,
  };
};

type Lock = {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly optional?: boolean }>>;
};

const lockIn = (file: string): Lock['packages'] => (JSON.parse(readFileSync(file, 'utf8')) as Lock).packages;

/** Optional ones are for other machines, too. */
const hasPackagesOf = (folder: string): boolean => {
  const here = lockIn(join(packageRoot, 'node_modules/.package-lock.json'));
  return Object.entries(lockIn(join(folder, 'package-lock.json'))).every(
    ([name, { version, optional }]) => name === '' || optional || here[name]?.version === version,
  );
};

/** Those from npm are the ones here, those of the repository the version's own. */
const linkPackages = (folder: string): void => {
  const from = join(packageRoot, 'node_modules');
  const to = join(folder, 'node_modules');
  const own = join(folder, 'packages');
  mkdirSync(join(to, '@grantbook'), { recursive: true });
  for (const name of readdirSync(from).filter((each) => each !== '@grantbook'))
    symlinkSync(join(from, name), join(to, name));
  for (const name of existsSync(own) ? readdirSync(own) : [])
    symlinkSync(join(own, name), join(to, '@grantbook', name));
};
