import { withClient } from '../../common/with-client.ts';
import { ownSchema } from '../database/own-schema.ts';
import { comparePositions, type Position } from '../../eventstore/event-store.ts';
import type { Tx } from '../follow/projection.ts';
import { advance } from './advance.ts';
import { enterVersion, leaveVersion, takeVersion, checkTables } from './prepare-version.ts';
import { compareTables, type Difference } from './compare-tables.ts';
import { compareFence } from './fence-compare.ts';
import { rebuildableOf, type Rebuildable } from './rebuildables.ts';
import { livePosition } from './rebuild.ts';
import { RebuildRefused } from './refusal.ts';
import { noneSkipped, withSession, type RebuildDependencies } from './session.ts';
import { changeVersion, chooseVersion, readVersions, type Version } from './versions.ts';

export type VerifyOptions = {
  readonly name: string;
  readonly version?: number;
  readonly blockSize?: number;
  readonly progressed?: (table: string, rows: number) => void;
};

export type Verified = {
  readonly name: string;
  readonly version: number;
  readonly position: Position;
  readonly tables: Readonly<Record<string, number>>;
  readonly differences: readonly Difference[];
};

/** Compares a version with the live tables at the same position, by a snapshot; nobody waits. @throws RebuildRefused */
export const verify = async (
  dependencies: RebuildDependencies,
  options: VerifyOptions,
): Promise<Verified> => {
  const rebuildable = rebuildableOf(options.name);
  return withSession(dependencies, rebuildable.name, async (session) => {
    const { tx } = session;
    const signal = AbortSignal.any([dependencies.signal, session.lost]);
    const version = chooseVersion(
      await readVersions(tx, rebuildable.name),
      rebuildable.name,
      options.version,
    );
    refuseUnbuilt(version);
    await checkTables(tx, rebuildable, version);
    const verified = await withSnapshot(dependencies.databaseUrl, (snapshot) =>
      compare({ ...dependencies, signal }, { tx, snapshot, rebuildable, version, options }),
    );
    const equal = verified.differences.length === 0;
    await changeVersion(tx, version, { verified_at: dependencies.now(), verified_equal: equal });
    return verified;
  });
};

export const refuseUnbuilt = ({ name, version, state }: Version): void => {
  if (state !== 'building') return;
  const message = `version ${version} of ${name} is not built yet: run projections rebuild ${name} --version ${version}`;
  throw new RebuildRefused('version-not-built', message);
};

/** A separate connection, in one snapshot from its first statement on. */
const withSnapshot = <T>(databaseUrl: string, use: (tx: Tx) => Promise<T>): Promise<T> => {
  const [keepAlive, connectionTimeoutMillis] = [true, 10_000];
  const config = { connectionString: databaseUrl, keepAlive, connectionTimeoutMillis };
  return withClient({ ...config, application_name: 'grantbook verify' }, async (client) => {
    await client.query('begin isolation level repeatable read read only');
    return use(client);
  });
};

type Comparing = {
  readonly tx: Tx;
  readonly snapshot: Tx;
  readonly rebuildable: Rebuildable;
  readonly version: Version;
  readonly options: VerifyOptions;
};

const compare = async (
  { log, now, signal, skipped = noneSkipped }: RebuildDependencies,
  { tx, snapshot, rebuildable, version, options }: Comparing,
): Promise<Verified> => {
  await enterVersion(tx, version);
  const worker = await takeVersion(tx, rebuildable, version, skipped);
  await advanceTo(worker, await livePosition(tx, rebuildable)); // most of the work, before the snapshot is held
  const position = await livePosition(snapshot, rebuildable);
  await advanceTo(await takeVersion(tx, rebuildable, version, skipped), position);
  await leaveVersion(tx);

  const { cleaned, lacking } = rebuildable;
  const upTo = cleaned && (await snapshot.query<{ position: string | null }>(cleaned.upTo)).rows[0]?.position;
  const liveSchema = await ownSchema(snapshot);
  const tables: Record<string, number> = {};
  const differences: Difference[] = [];
  for (const table of rebuildable.tables.filter((one) => one !== lacking)) {
    const dependencies = {
      live: { tx: snapshot, schema: liveSchema },
      rebuilt: { tx, schema: version.schema },
      signal,
      ...(cleaned?.columns[table] && { cleaned: { column: cleaned.columns[table], upTo: upTo ?? '0' } }),
      ...(options.blockSize !== undefined && { blockSize: options.blockSize }),
      compared: (rows: number) => options.progressed?.(table, rows),
    };
    const { rows, difference } =
      rebuildable.kept === 'merged'
        ? await compareFence({ ...dependencies, log, now: now(), position })
        : await compareTables(dependencies, table);
    tables[table] = rows;
    if (difference) differences.push(difference);
  }
  return { name: version.name, version: version.version, position, tables, differences };

  async function advanceTo(from: typeof worker, target: Position): Promise<void> {
    if (from.position && comparePositions(from.position, target) > 0)
      throw new RebuildRefused(
        'behind',
        `version ${version.version} of ${version.name} is ahead of the live tables`,
      );
    await advance({ log, projection: rebuildable.projection, signal }, from, target);
    if (signal.aborted) throw new RebuildRefused('interrupted', 'it was interrupted; nothing was compared');
  }
};
