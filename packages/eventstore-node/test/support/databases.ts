import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export type TestDatabase = {
  readonly url: string;
  /** Ends what is still connected to it, and removes it. */
  readonly drop: () => Promise<void>;
};

/** A new, empty database on the run's server. Whoever makes it drops it. */
export const freshDatabase = (): Promise<TestDatabase> => createDatabase('template1');

/** A new database on the run's server, as a copy of this one. */
export async function createDatabase(template: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdmin((admin) => createFrom(admin, template, name));
  return {
    url: urlOf(name),
    drop: () =>
      asAdmin(async (admin) => {
        await untilLeft(admin, name);
        await admin.query(`drop database if exists ${name} with (force)`);
      }),
  };
}

/** A pool has ended before its connections have: one that is cut meanwhile is an error that nobody catches. */
async function untilLeft(admin: pg.PoolClient, name: string): Promise<void> {
  for (let attempt = 1; attempt <= 20; attempt++) {
    const { rowCount } = await admin.query('select from pg_stat_activity where datname = $1', [name]);
    if (!rowCount) return;
    await new Promise((resolve) => setTimeout(resolve, attempt));
  }
}

/**
 * Copying waits its turn when another copy of the same template is under way (55006 object_in_use). Copied file by file it takes
 * half of the time that it takes block by block through the write-ahead log, and so does removing it.
 */
async function createFrom(admin: pg.PoolClient, template: string, name: string): Promise<void> {
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

export function urlOf(database: string): string {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${database}`;
  return url.href;
}

/** One connection for all files of a process, whose server is the same. */
let admins: pg.Pool | undefined;

/** One after another. */
export async function asAdmin<T>(work: (admin: pg.PoolClient) => Promise<T>): Promise<T> {
  admins ??= new pg.Pool({
    connectionString: inject('postgresUrl'),
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  });
  const admin = await admins.connect();
  try {
    return await work(admin);
  } finally {
    admin.release();
  }
}
