import pg from 'pg';
import { inTransaction } from '../../common/transaction.ts';
import type { Tx } from '../follow/projection.ts';
import { checkpointNameOf, schemaOf, type Rebuildable } from './rebuildables.ts';
import { RebuildRefused } from './refusal.ts';
import { fits, nameOf, readDefinition, statementFor, type TableDefinition } from './table-definition.ts';
import { addVersion, ensureLiveVersion, readVersions, versionOf, type Version } from './versions.ts';
import { enterSchema, ownSchema } from '../database/own-schema.ts';
import { plannedByKeys } from '../database/planner.ts';
import { takeLease } from '../follow/checkpoint.ts';
import { loadParkedKeys, type ReadSkipped } from '../parking/parked-keys.ts';
import type { Worker } from './advance.ts';

export type Asked = { readonly version?: number; readonly now: number };

/**
 * The version to work on: the requested one, the newest unfinished one, or a new one with empty tables like the live
 * ones.
 * @throws RebuildRefused
 */
export const prepareVersion = (tx: Tx, rebuildable: Rebuildable, asked: Asked): Promise<Version> =>
  inTransaction(tx, async () => {
    const { name } = rebuildable;
    await ensureLiveVersion(tx, name);
    const versions = await readVersions(tx, name);
    const next = Math.max(0, ...versions.map(({ version }) => version)) + 1;
    const begun = versions.find(({ state }) => state === 'building' || state === 'built')?.version;
    const version = asked.version ?? begun ?? next;
    if (version !== next) {
      const found = versionOf(versions, name, version);
      await checkTables(tx, rebuildable, found);
      return found;
    }
    await createVersion(tx, rebuildable, version, asked.now);
    return versionOf(await readVersions(tx, name), name, version);
  });

const createVersion = async (
  tx: Tx,
  rebuildable: Rebuildable,
  version: number,
  now: number,
): Promise<void> => {
  const { name, tables, writerIndexes } = rebuildable;
  const live = await ownSchema(tx);
  const schema = schemaOf(live, name, version);
  const { rowCount } = await tx.query('select from pg_namespace where nspname = $1', [schema]);
  if (rowCount !== 0)
    throw new RebuildRefused(
      'schema-taken',
      `there is a schema ${schema} already, which no rebuild has made`,
    );
  await tx.query(`create schema ${pg.escapeIdentifier(schema)}`).catch(refuseSchema);
  for (const table of tables) {
    const { create, indexes } = await liveDefinition(tx, live, table);
    const needed = indexes.filter((index) => writerIndexes.includes(index.name));
    for (const statement of [...create, ...needed.map((index) => index.create)])
      await tx.query(statementFor(statement, nameOf(schema, table), nameOf(live, table)));
  }
  await addVersion(tx, { name, version, schema, startedAt: now });
};

const refuseSchema = (error: unknown): never => {
  if ((error as { code?: unknown } | null)?.code !== '42501') throw error;
  throw new RebuildRefused(
    'schema-refused',
    'the role of DATABASE_URL may create no schema for the new tables: grant create on the database to it',
  );
};

/** @param live its schema: see `ownSchema` */
const liveDefinition = async (tx: Tx, live: string, table: string): Promise<TableDefinition> => {
  const definition = await readDefinition(tx, live, table);
  if (!definition) throw new Error(`there is no table ${table}`);
  return definition;
};

/** Refuses a version when a migration since then has changed only the live tables. @throws RebuildRefused */
export const checkTables = async (
  tx: Tx,
  { name, tables }: Rebuildable,
  { version, schema }: Version,
): Promise<void> => {
  const live = await ownSchema(tx);
  for (const table of tables) {
    const built = await readDefinition(tx, schema, table);
    if (!built || !fits(built, await liveDefinition(tx, live, table)))
      throw new RebuildRefused(
        'tables-changed',
        `the table ${table} is no longer like that of version ${version}: drop it (projections drop ${name} --version ${version}) and rebuild`,
      );
  }
};

/** Creates the indexes that the writer does not need, one at a time; existing ones stay. */
export const completeIndexes = async (
  tx: Tx,
  { tables }: Rebuildable,
  { schema }: Version,
  signal: AbortSignal,
): Promise<void> => {
  const live = await ownSchema(tx);
  for (const table of tables) {
    const wanted = await liveDefinition(tx, live, table);
    const built = await readDefinition(tx, schema, table);
    const there = new Set(built?.indexes.map(({ name }) => name));
    for (const { name, create } of wanted.indexes)
      if (!there.has(name) && !signal.aborted) await tx.query(statementFor(create, nameOf(schema, table)));
  }
};

/** From now on this connection finds the version's tables under the names that the projection's writer uses. */
export const enterVersion = async (tx: Tx, { schema }: Version): Promise<void> => {
  await enterSchema(tx, schema);
  await tx.query(`set synchronous_commit = off; ${plannedByKeys}`);
};

export const leaveVersion = async (tx: Tx): Promise<void> => {
  await tx.query(
    'reset search_path; reset synchronous_commit; reset enable_seqscan; reset enable_hashjoin; reset enable_mergejoin; discard plans',
  );
};

export const takeVersion = async (
  tx: Tx,
  { projection }: Pick<Rebuildable, 'projection'>,
  { name, version }: Version,
  skipped: ReadSkipped,
): Promise<Worker> => {
  const taken = await takeLease(tx, checkpointNameOf(name, version));
  const projections = [projection.name];
  return { tx, ...taken, parked: await loadParkedKeys({ tx, name: taken.lease.name, projections, skipped }) };
};
