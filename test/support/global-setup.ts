import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../src/embedded/postgres/start-postgres.ts';

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- merging needs an interface
  interface ProvidedContext {
    /** Connection string of the run's own server, database `postgres`, as its superuser. */
    postgresUrl: string;
  }
}

const PREFIX = 'grantbook-test-';
const GIGABYTE = 2 ** 30;

/** One embedded server a run, in memory where there is room for it; it goes away with the run, even with a killed one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = await roomyFolder();
  await removeLeftovers(root);
  const dataDir = await mkdtemp(join(root, `${PREFIX}${process.pid}-`));
  const postgres = await startPostgres({ dataDir, settings: FAST_AND_FORGETFUL });
  project.provide('postgresUrl', postgres.url('postgres'));
  return async () => {
    await postgres.close();
    await rm(dataDir, { recursive: true, force: true });
  };
}

/** Nothing here has to survive a power cut. */
const FAST_AND_FORGETFUL = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
  shared_buffers: '128MB',
  autovacuum: 'off',
};

async function roomyFolder(): Promise<string> {
  const { bavail, bsize } = await statfs('/dev/shm').catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= GIGABYTE ? '/dev/shm' : tmpdir();
}

/** Folders of runs that were killed before they could clean up. */
async function removeLeftovers(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const pid = Number(name.startsWith(PREFIX) && name.slice(PREFIX.length).split('-')[0]);
    if (pid && !isAlive(pid)) await rm(join(root, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
