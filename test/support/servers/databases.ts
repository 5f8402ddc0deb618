import { join } from 'node:path';
import pg from 'pg';
import { packageRoot } from '../../../src/process/package-root.ts';
import { migrate } from '../../../src/projections/database/migrate.ts';
import {
  asAdmin,
  createDatabase,
  type TestDatabase,
  urlOf,
} from '../../../packages/eventstore-node/test/support/databases.ts';

export {
  freshDatabase,
  type TestDatabase,
} from '../../../packages/eventstore-node/test/support/databases.ts';

/** A new database with all migrations applied: a copy of a template that is migrated once per run. */
export async function migratedDatabase(): Promise<TestDatabase> {
  await asAdmin(makeTemplateOnce);
  return await createDatabase(TEMPLATE);
}

const MIGRATIONS = join(packageRoot, 'src/projections/migrations');
const TEMPLATE = 'grantbook_template';
const TEMPLATE_LOCK = 7_401_255;

/** Where a proxy to a database's server connects to: its port, or its socket. */
export function serverOf(databaseUrl: string): number | string {
  const { host, port } = new pg.Client({ connectionString: databaseUrl });
  return host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : port;
}

/** The same database, reached through a proxy that a test can cut. */
export function urlThrough({ port }: { readonly port: number }, databaseUrl: string): string {
  const url = new URL(databaseUrl.replace(/\?.*$/, '')); // the query would name a socket
  url.host = `127.0.0.1:${port}`;
  return url.href;
}

/** If several test files start at once, the lock lets one of them do the work while the others wait. */
async function makeTemplateOnce(admin: pg.PoolClient): Promise<void> {
  await admin.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    const { rowCount } = await admin.query('select from pg_database where datname = $1 and datistemplate', [
      TEMPLATE,
    ]);
    if (rowCount) return;
    await admin.query(`drop database if exists ${TEMPLATE} with (force)`);
    await admin.query(`create database ${TEMPLATE}`);
    await migrate(urlOf(TEMPLATE), MIGRATIONS);
    await admin.query(`alter database ${TEMPLATE} is_template true`);
  } finally {
    await admin.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
}
