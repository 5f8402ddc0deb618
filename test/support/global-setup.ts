import type { TestProject } from 'vitest/node';
import { startOwnPostgres } from './servers/own-postgres.ts';
import { seed } from './seed.ts';

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- merging needs an interface
  interface ProvidedContext {
    /** Connection string of the run's own server, database `postgres`, as its superuser. */
    postgresUrl: string;
  }
}

/** One embedded server per run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  process.stderr.write(`GRANTBOOK_SEED=${seed}\n`);
  const postgres = await startOwnPostgres('grantbook-test-');
  project.provide('postgresUrl', postgres.url('postgres'));
  return postgres.close;
}
