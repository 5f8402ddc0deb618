import type { Client } from 'pg';
import { inTransaction } from '../../common/transaction.ts';
import { withClient } from '../../common/with-client.ts';
import { tellAgainAndAgain } from '../follow/tell-progress.ts';
import {
  compareMigrations,
  prepareRecords,
  readMigration,
  recordMigration,
  refuseMismatch,
} from './migration-records.ts';
import { refuseUnwritable } from './own-schema.ts';

export type MigrationProgress = {
  /** The name of the running migration, or `waiting` for another process that migrates. */
  readonly now: string;
  readonly done: number;
  readonly of: number;
  readonly seconds: number;
  readonly perMinute: number;
  /** Assumes that each takes as long as those before; null while unknown. */
  readonly secondsLeft: number | null;
};

/** Of the session that migrates; another one in this database waits for it. */
export const migrationLock = 7_241_865_325_823_964;

type Options = {
  /** Every `everyMs` milliseconds. */
  readonly told?: (progress: MigrationProgress) => void;
  readonly everyMs?: number;
  /** Run those, too, that take something away from the version before: none of its instances runs any more. */
  readonly finish?: boolean;
  /** Called before anything is changed in an empty database. */
  readonly beforeFirst?: () => Promise<void>;
};

/**
 * Brings the database to the newest schema, one instance at a time; a newer one stays: migrations only add (ADR 45). @returns what ran
 * @throws DatabaseForeign, MigrationEdited, DatabaseTooNew, SchemaUnwritable: nothing was changed
 */
export const migrate = (
  databaseUrl: string,
  migrationsDir: string,
  { told = () => undefined, everyMs = 10_000, finish = false, beforeFirst }: Options = {},
): Promise<readonly string[]> => {
  const way = followMigration();
  const telling = tellAgainAndAgain(() => told(way.progress()), { firstMs: everyMs, everyMs });
  return withClient({ connectionString: databaseUrl }, async (client) => {
    await refuseUnwritable(client);
    const toRun = async () => {
      const compared = await compareMigrations(client, migrationsDir);
      refuseMismatch(compared);
      const { isEmpty, pending, unfinished } = compared;
      return { isEmpty, pending: finish ? [...pending, ...unfinished].sort() : pending };
    };
    const { isEmpty, pending } = await toRun();
    if (pending.length === 0) return [];
    if (isEmpty) await beforeFirst?.();
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    return migrateLocked({ client, migrationsDir, pending: (await toRun()).pending }, way);
  }).finally(() => telling.stop());
};

type Migrating = {
  readonly client: Client;
  readonly migrationsDir: string;
  readonly pending: readonly string[];
};

/** Each in a transaction with its record. */
const migrateLocked = async (
  { client, migrationsDir, pending }: Migrating,
  way: ReturnType<typeof followMigration>,
): Promise<readonly string[]> => {
  await client.query(prepareRecords);
  for (const [done, file] of pending.entries()) {
    way.begins(withoutEnding(file), done, pending.length);
    const { sql, sha256 } = await readMigration(migrationsDir, file);
    await inTransaction(client, async () => {
      await client.query(sql);
      await client.query(recordMigration, [file, sha256]);
    });
  }
  return pending.map(withoutEnding);
};

const withoutEnding = (file: string): string => file.slice(0, -'.sql'.length);

const followMigration = () => {
  const began = performance.now();
  let [now, done, of] = ['waiting', 0, 0];
  return {
    begins: (...begun: readonly [name: string, done: number, of: number]) => void ([now, done, of] = begun),
    progress: (): MigrationProgress => {
      const seconds = (performance.now() - began) / 1000;
      return {
        now,
        done,
        of,
        seconds: Math.round(seconds),
        perMinute: Math.round((done / Math.max(seconds, 0.001)) * 60),
        secondsLeft: done === 0 ? null : Math.ceil(((of - done) / done) * seconds),
      };
    },
  };
};
