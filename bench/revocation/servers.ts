import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '#eventstore-node/postgres';
import { launchNodeProcess } from '#eventstore-node/process';
import { migrationsDir } from '../../src/process/package-root.ts';
import { migrate } from '../../src/projections/database/migrate.ts';
import { withoutServers } from '../../demo/running-service.ts';
import { closedInAnyCase } from '../closing.ts';
import { unlimited } from '../unlimited.ts';

/**
 * Both servers on a folder of their own, for several instances of the service, and a node that can be stopped for a
 * while.
 */
export type BenchServers = {
  readonly databaseUrl: string;
  /** The node's database. */
  readonly logUrl: string;
  startNode(): Promise<{ readonly url: string; close(): Promise<void> }>;
  /** The environment with which an instance finds the servers and the token keys. */
  env(eventStoreUrl: string): NodeJS.ProcessEnv;
  close(): Promise<void>;
};

export const startServers = async (): Promise<BenchServers> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'grantbook-bench-'));
  const remove = closedInAnyCase(() => rm(dataDir, { recursive: true, force: true }));
  try {
    await chmod(dataDir, 0o711); // PostgreSQL may need to pass through as another user
    const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres') });
    const close = closedInAnyCase(async () => {
      await postgres.close();
      await remove();
    });
    try {
      await postgres.createDatabase('grantbook');
      await postgres.createDatabase('grantbook_log');
      const databaseUrl = postgres.url('grantbook');
      const logUrl = postgres.url('grantbook_log');
      await migrate(databaseUrl, migrationsDir);
      const startNode = async () => {
        const { url, close: closeNode } = await launchNodeProcess().start({ databaseUrl: logUrl });
        return { url, close: closedInAnyCase(closeNode) };
      };
      return { databaseUrl, logUrl, startNode, env: makeEnv(dataDir, databaseUrl), close };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    await remove();
    throw error;
  }
};

const makeEnv = (dataDir: string, databaseUrl: string) => {
  const own = {
    ...withoutServers(process.env),
    ...unlimited,
    DATABASE_URL: databaseUrl,
    TOKEN_KEYS: `bench:${randomBytes(32).toString('base64url')}`,
    PERSONAL_DATA_KEYS: `bench:${randomBytes(32).toString('base64url')}`,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
  };
  return (eventStoreUrl: string) => ({ ...own, EVENTSTORE_URL: eventStoreUrl });
};
