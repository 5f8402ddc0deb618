import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { migrate } from '../../src/projections/migrate.ts';

export type TestDatabase = {
  readonly url: string;
  /** Ends what is still connected to it, and removes it. */
  readonly drop: () => Promise<void>;
};

/** A new, empty database on the run's server. Whoever makes it drops it. */
export const freshDatabase = (): Promise<TestDatabase> => create('template1');

/** A new database with all migrations applied: a copy of one that is migrated once a run. */
export async function migratedDatabase(): Promise<TestDatabase> {
  await asAdmin(makeTemplateOnce);
  return await create(TEMPLATE);
}

const MIGRATIONS = join(packageRoot, 'src/projections/migrations');
const TEMPLATE = 'grantbook_template';
const TEMPLATE_LOCK = 7_401_255;

/** What a wire to the server of a database leads to: its port, or its socket. */
export function serverOf(databaseUrl: string): number | string {
  const { host, port } = new pg.Client({ connectionString: databaseUrl });
  return host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : port;
}

/** The same database, reached over a wire that a test can cut. */
export function urlThrough({ port }: { readonly port: number }, databaseUrl: string): string {
  const url = new URL(databaseUrl.replace(/\?.*$/, '')); // where a socket would be named
  url.host = `127.0.0.1:${port}`;
  return url.href;
}

async function create(template: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdmin((admin) => createFrom(admin, template, name));
  return {
    url: urlOf(name),
    drop: () =>
      asAdmin(async (admin) => void (await admin.query(`drop database if exists ${name} with (force)`))),
  };
}

/**
 * Copying waits its turn when another copy of the same template is under way (55006 object_in_use). Copied file by file it takes
 * half of the time that it takes block by block through the write-ahead log, and so does removing it.
 */
async function createFrom(admin: pg.Client, template: string, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await admin.query(`create database ${name} template ${template} strategy file_copy`);
      return;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== '55006' || attempt === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20 * attempt));
    }
  }
}

/** The lock makes one of several test files that start at once do the work, and the others wait for it. */
async function makeTemplateOnce(admin: pg.Client): Promise<void> {
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

function urlOf(database: string): string {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${database}`;
  return url.href;
}

async function asAdmin<T>(work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: inject('postgresUrl') });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}
