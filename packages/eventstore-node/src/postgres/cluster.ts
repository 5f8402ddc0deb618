import { chown, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { exited, launch, type Launcher } from './launch.ts';

/** The one role of an embedded cluster. */
export const ROLE = 'grantbook';

/**
 * Creates the cluster in `folder/cluster` if it does not exist. It is created under another name and renamed when
 * complete, so that a crash in between leaves nothing that looks like a cluster.
 * @throws when the cluster was created by another major version
 */
export async function ensureCluster(launcher: Launcher, folder: string, durable: boolean): Promise<string> {
  const cluster = join(folder, 'cluster');
  await removeHalfMade(folder);
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => null);
  if (version === null) await makeCluster(launcher, folder, cluster, durable);
  else refuseOtherMajor(launcher, cluster, version.trim());
  return cluster;
}

async function removeHalfMade(folder: string): Promise<void> {
  // the process that created them may still be ending, hence the retries
  const leftovers = (await readdir(folder)).filter((name) => name.startsWith('cluster.new'));
  for (const name of leftovers)
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 20 });
}

async function makeCluster(
  launcher: Launcher,
  folder: string,
  cluster: string,
  durable: boolean,
): Promise<void> {
  const unfinished = join(folder, `cluster.new-${process.pid}`);
  await mkdir(unfinished, { mode: 0o700 });
  const { owner } = launcher.runAs;
  if (owner) await chown(unfinished, owner.uid, owner.gid);
  await runInitdb(launcher, [
    `--pgdata=${unfinished}`,
    `--username=${ROLE}`,
    '--auth=reject', // until there is a password, see `require-password.ts`
    '--encoding=UTF8',
    ...localeArgs(launcher),
    ...(durable ? [] : ['--no-sync']),
  ]);
  await rename(unfinished, cluster);
}

async function runInitdb(launcher: Launcher, args: readonly string[]): Promise<void> {
  const child = launch(launcher, launcher.binaries.initdb, args, 'pipe');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await exited(child);
  if (code !== 0) throw new Error(`initdb failed with exit code ${code}:\n${output.slice(-2000)}`);
}

/** The builtin provider sorts identically on every C library; PostgreSQL has it since 17. */
const localeArgs = (launcher: Launcher): readonly string[] =>
  majorOf(launcher) >= 17
    ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    : ['--locale=C.UTF-8'];

function refuseOtherMajor(launcher: Launcher, cluster: string, version: string): void {
  const major = majorOf(launcher);
  if (Number(version) === major) return;
  throw new Error(
    `the data in ${cluster} was made by PostgreSQL ${version}, and the PostgreSQL here is ${major}. ` +
      `Install PostgreSQL ${version}, upgrade the folder with pg_upgrade, or take an empty data folder (DATA_DIR).`,
  );
}

function majorOf(launcher: Launcher): number {
  const [command, args] = launcher.runAs.command(launcher.binaries.postgres, ['--version']);
  const env = launcher.libraryPath ? { LD_LIBRARY_PATH: launcher.libraryPath } : {};
  const { stdout } = spawnSync(command, args, {
    encoding: 'utf8',
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', ...env },
    ...launcher.runAs.ids,
  });
  const major = Number(/(\d+)/.exec(stdout ?? '')?.[1]);
  if (!major)
    throw new Error(`${launcher.binaries.postgres} does not start (postgres --version printed nothing)`);
  return major;
}
