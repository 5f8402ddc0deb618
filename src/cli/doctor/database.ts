import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { adviceToReach, causeOf } from '../../common/server-away.ts';
import { withClient } from '../../common/with-client.ts';
import { aheadBy, type ServerTime } from '../../observability/readiness/server-probe.ts';
import { migrationsDir } from '../../process/package-root.ts';
import {
  compareMigrations,
  type ComparedMigrations,
  DatabaseForeign,
} from '../../projections/database/migration-records.ts';
import { findUnwritable } from '../../projections/database/own-schema.ts';
import { needsSessions, refuseLostSessions, SessionsNotKept } from '../../projections/database/pooler.ts';
import {
  callMs,
  failure,
  isAtLeast,
  CheckNotPossible,
  ok,
  warning,
  type Finding,
  type Check,
} from './finding.ts';

/** Opens a database connection for one check, and closes it afterwards. */
export const withDatabase = async <T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> => {
  let isConnected = false;
  const config = { connectionString: url, connectionTimeoutMillis: callMs, query_timeout: callMs };
  const used = withClient({ ...config, application_name: 'grantbook doctor' }, async (client) => {
    isConnected = true;
    return use(client).catch(async (error: unknown) => {
      throw causeOf(error) === noTable ? await explainMissingTable(client) : error;
    });
  });
  return used.catch((error: unknown) => {
    if (isConnected) throw error;
    throw new CheckNotPossible(`${hostOf(url)}: ${causeOf(error)}`, adviceToReach(causeOf(error)));
  });
};

/** For an address of a unix socket the name of the database. */
const hostOf = (url: string): string => {
  const { host, pathname } = new URL(url);
  return host || pathname.slice(1);
};

/** The same for what needs tables: a query of a missing one would be an error in the log of PostgreSQL, too. */
export const withTables = <T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> =>
  withDatabase(url, async (client) => {
    await refuseUnwritable(client);
    const { pending, tooNew } = await readMigrations(client);
    if (tooNew.length > 0) throw newerDatabase(tooNew);
    const tables = (await Promise.all(pending.map(tablesOf))).flat();
    const { rows } = await client.query<{ missing: boolean }>(
      'select bool_or(to_regclass(name) is null) as missing from unnest($1::text[]) as name',
      [tables],
    );
    if (rows[0]?.missing) throw notYetRun(pending);
    return use(client);
  });

const readMigrations = (client: pg.Client): Promise<ComparedMigrations> =>
  compareMigrations(client, migrationsDir).catch((error: unknown) => {
    throw error instanceof DatabaseForeign ? new CheckNotPossible(error.why, error.advice, true) : error;
  });

/** The same words wherever it prevents a check. */
const refuseUnwritable = async (client: pg.Client): Promise<void> => {
  const found = await findUnwritable(client);
  if (found) throw new CheckNotPossible(found.why, found.advice, true);
};

const tablesOf = async (migration: string): Promise<readonly string[]> => {
  const sql = await readFile(join(migrationsDir, migration), 'utf8');
  return [...sql.matchAll(/^create table (?:if not exists )?(\w+)/gim)].map(([, name = '']) => name);
};

const newerDatabase = (names: readonly string[]): CheckNotPossible =>
  new CheckNotPossible(
    `the database is of a newer version: migrations ${names.join(', ')} removed objects that this version needs`,
    'run the newer version',
    true,
  );

/** PostgreSQL's error code for a missing table (undefined_table). */
export const noTable = '42P01';

/** Uses the words of the migrations check, so that the same problem is reported only once. */
const explainMissingTable = async (client: pg.Client): Promise<CheckNotPossible> => {
  const { pending, tooNew } = await readMigrations(client);
  if (tooNew.length > 0) return newerDatabase(tooNew);
  return pending.length > 0
    ? notYetRun(pending)
    : new CheckNotPossible(
        'a table that a migration created is missing',
        'restore the database (docs/how-to/back-up-and-restore.md, "Postgres is restored from an older backup")',
      );
};

const notYetRun = (pending: readonly string[]): CheckNotPossible =>
  new CheckNotPossible(
    `not yet run: ${pending.join(', ')}`,
    'run `grantbook migrate`; instances of the version before keep running',
    true,
  );

const floor = '15';
const clock = 'clock of the database';

export const databaseChecks = (url: string): readonly Check[] => [
  {
    check: 'database',
    run: () =>
      withDatabase(url, async (client) => {
        const { rows } = await client.query<{ version: string }>(
          `select current_setting('server_version') as version`,
        );
        return [judgeVersion(rows[0]?.version ?? ''), await checkClock(client)];
      }),
  },
  { check: sessions, run: () => checkSessions(url) },
  { check: collations, run: () => withDatabase(url, checkCollations) },
  { check: 'migrations', run: () => withDatabase(url, checkMigrations) },
];

const collations = 'collations of the database';

/** Indexes by a collation that sorts otherwise now (another C library or ICU) miss rows, and unique ones take a row twice. */
const checkCollations = async (client: pg.Client): Promise<readonly Finding[]> => {
  const { rows } = await client.query<{ name: string; was: string; is: string | null }>(
    `select 'of the database ' || datname as name, datcollversion as was, pg_database_collation_actual_version(oid) as is
     from pg_database where datname = current_database()
       and datcollversion is distinct from pg_database_collation_actual_version(oid) and datcollversion is not null
     union all
     select collname, collversion, pg_collation_actual_version(oid) from pg_collation
     where collversion is distinct from pg_collation_actual_version(oid) and collversion is not null
       and exists (select from pg_depend where refclassid = 'pg_collation'::regclass and refobjid = pg_collation.oid)`,
  );
  if (rows.length === 0) return [ok(collations, 'as they were when the indexes were built')];
  return rows.map(({ name, was, is }) =>
    warning(
      collations,
      `the collation ${name} had version ${was}, and has ${is ?? 'none'} now`,
      'rebuild what is sorted by it (reindex database), then note the new version (alter database … refresh collation version, or alter collation … refresh version)',
    ),
  );
};

const sessions = 'sessions of the database';

/** Where the database cannot be reached, its own check says why. */
const checkSessions = async (connectionString: string): Promise<Finding | readonly Finding[]> =>
  refuseLostSessions({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: 5_000 }).then(
    () => ok(sessions, 'are kept'),
    (error: unknown) =>
      error instanceof SessionsNotKept
        ? failure(sessions, 'a pooler keeps none, such as PgBouncer in transaction mode', needsSessions)
        : [],
  );

const judgeVersion = (version: string): Finding =>
  isAtLeast(version, floor)
    ? ok('database', `PostgreSQL ${version}`)
    : failure('database', `PostgreSQL ${version}`, `use PostgreSQL ${floor} or later`);

const checkClock = async (client: pg.Client): Promise<Finding> => {
  const asked = Date.now();
  const { rows } = await client.query<{ now: string }>(
    'select extract(epoch from clock_timestamp()) * 1000 as now',
  );
  return judgeClock(clock, { asked, created: Number(rows[0]?.now), answered: Date.now() });
};

export const judgeClock = (check: string, time: ServerTime): Finding => {
  const apart = aheadBy(time);
  const seconds = Math.abs(apart) / 1000;
  const found =
    seconds < 0.1 ? 'agrees with ours' : `${seconds.toFixed(1)} s ${apart > 0 ? 'ahead of' : 'behind'} ours`;
  if (seconds >= 30)
    return failure(
      check,
      found,
      'synchronize the clocks (NTP): lifetimes of codes and tokens depend on them',
    );
  if (seconds >= 2) return warning(check, found, 'check NTP on both machines');
  return ok(check, found);
};

const checkMigrations = async (client: pg.Client): Promise<Finding> => {
  await refuseUnwritable(client);
  const { pending, unfinished, edited, newer, tooNew } = await readMigrations(client);
  const check = 'migrations';
  if (edited.length > 0)
    return failure(check, `changed since they ran: ${edited.join(', ')}`, 'restore these files');
  if (tooNew.length > 0) throw newerDatabase(tooNew);
  if (pending.length > 0) throw notYetRun(pending);
  if (newer.length > 0)
    return warning(
      check,
      `migrations ${newer.join(', ')} of a newer version were applied; this version still works with them`,
      'start the newer version to continue the upgrade',
    );
  if (unfinished.length > 0)
    return warning(
      check,
      `${unfinished.join(', ')} removes what only the version before needed`,
      'run `grantbook migrate --finish` once no instance of that version runs',
    );
  return ok(check, 'up to date');
};
