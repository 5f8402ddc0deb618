import { Pool } from 'pg';
import type { Fence } from '../../../src/domain/fence/fence.ts';
import { makeFence } from '../../../src/projections/fence/fence.ts';
import { startListening, type Listener } from '../../../src/projections/database/listener.ts';
import { watchProgress, type ReadProgress } from '../../../src/projections/follow/progress.ts';
import {
  makePipelinedReader,
  type PipelinedReader,
} from '../../../src/projections/database/pipelined-reader.ts';
import { makeReadModels } from '../../../src/projections/read-models-pg.ts';
import type { ReadModels } from '../../../src/projections/read-models.ts';
import { migratedDatabase, type TestDatabase } from '../servers/databases.ts';
import { quietLogger } from '../quiet-logger.ts';

export type TestReadModels = {
  readonly database: TestDatabase;
  readonly pool: Pool;
  readonly reader: PipelinedReader;
  readonly listener: Listener;
  readonly progress: ReadProgress;
  readonly readModels: ReadModels;
  readonly fence: Fence;
  /** The rows of all tables of the read models, in the order of their keys. */
  dump(): Promise<Readonly<Record<string, readonly object[]>>>;
  /** Empties the tables. */
  clear(): Promise<void>;
  /** Closes the connections and drops the database. */
  close(): Promise<void>;
};

/**
 * The read side on a fresh, migrated database. No projector runs on it: see `test-projector.ts`.
 * @param aroundReader lets the test wrap the read models' reader
 */
export const testReadModels = async (
  aroundReader: (reader: PipelinedReader) => PipelinedReader = (reader) => reader,
  now: () => number = Date.now,
): Promise<TestReadModels> => {
  const database = await migratedDatabase();
  const logger = quietLogger();
  const pool = new Pool({ connectionString: database.url });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined)); // while it is in use
  const reader = makePipelinedReader({ databaseUrl: database.url, logger });
  const listener = startListening({ databaseUrl: database.url, logger });
  const progress = watchProgress({ listener, reader });
  return {
    database,
    pool,
    reader,
    listener,
    progress,
    readModels: makeReadModels({ reader: aroundReader(reader), progress, now }),
    fence: makeFence({ pool, reader }),
    dump: () => dumpTables(pool),
    async clear() {
      for (const table of await tablesIn(pool)) await pool.query(`delete from ${table}`);
      await pool.query('delete from list_change_blocks'); // the triggers of others write to it
    },
    async close() {
      progress.close();
      await listener.close();
      await reader.close();
      await pool.end();
      await database.drop();
    },
  };
};

/** The rows of all tables of the read models in this database, in the order of their keys. */
export const dumpTables = async (pool: Pool): Promise<Readonly<Record<string, readonly object[]>>> => {
  const tables = await tablesIn(pool);
  const contents = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await pool.query<object>(
        `select ${columnsOf(table)} from ${table} order by 1, 2, 3, ${table}::text`,
      );
      return [table, rows] as const;
    }),
  );
  return Object.fromEntries(contents);
};

/** Omits columns whose values do not come from the log. */
const columnsOf = (table: string): string =>
  table === 'checkpoints'
    ? 'name, commit_position, prepare_position'
    : table === 'fence' // `ends` is written later, by whoever removes rows
      ? 'subject, revision, epoch, open'
      : '*';

/** Tables that no projection builds from the log, each for its own reason (docs/reference/retention.md). */
export const ofNoReadModel = [
  'addon_refusals',
  'addon_usage',
  'break_glass',
  'checkpoint_event_types',
  'done_once',
  'earlier_subject_keys',
  'head_deposits',
  'list_changes_from',
  'list_read_batches',
  'list_reads',
  'log_checks',
  'log_marks',
  'log_tiles',
  'lost_keys',
  'outages',
  'passkey_uses',
  'projection_versions',
  'provider_sign_ins',
  'session_uses',
  'sign_in_counters',
  'signal_deactivations',
  'signal_grants',
  'signal_holders',
  'signal_record_streams',
  'signal_records_told',
  'signal_sets',
  'signal_streams',
  'signing_keys',
  'silent_grants',
  'streams_by_owner',
  'record_owners',
  'subject_keys',
  'write_probes',
];

const tablesIn = async (pool: Pool): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ tablename: string }>(
    `select tablename from pg_tables where schemaname = 'public' and tablename not like '%migration%'
       and tablename <> all($1) and tablename not like 'list_reads_%' order by 1`,
    [ofNoReadModel],
  );
  return rows.map(({ tablename }) => tablename);
};
