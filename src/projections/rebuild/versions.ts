import { checkpointOf, type CheckpointRow } from '../follow/checkpoint.ts';
import type { Position } from '../../eventstore/event-store.ts';
import type { Tx } from '../follow/projection.ts';
import { RebuildRefused } from './refusal.ts';
import { withClient } from '../../common/with-client.ts';
import { ownSchema } from '../database/own-schema.ts';
import type { RebuildDependencies } from './session.ts';

/** A row of `projection_versions`. Instants are milliseconds since the Unix epoch. */
export type Version = {
  readonly name: string;
  readonly version: number;
  readonly schema: string;
  readonly state: 'building' | 'built' | 'live' | 'old';
  /** Null for the first version, which no rebuild made. */
  readonly startedAt: number | null;
  readonly events: number;
  readonly eventsPerSecond: number | null;
  readonly secondsLeft: number | null;
  readonly toldAt: number | null;
  readonly builtAt: number | null;
  readonly verifiedAt: number | null;
  readonly verifiedEqual: boolean | null;
  readonly swappedAt: number | null;
  readonly previousVersion: number | null;
  readonly swapTold: boolean | null;
};

const columns = `
  name, version, schema, state, nullif(started_at, 0)::float8 as "startedAt", events::float8 as events,
  events_per_second as "eventsPerSecond", seconds_left as "secondsLeft", told_at::float8 as "toldAt", built_at::float8 as "builtAt",
  verified_at::float8 as "verifiedAt", verified_equal as "verifiedEqual", swapped_at::float8 as "swappedAt",
  previous_version as "previousVersion", swap_told as "swapTold"`;

/** Of one read model or of all, newest first; a read model that was never rebuilt has none. */
export const readVersions = async (tx: Tx, name: string | null = null): Promise<readonly Version[]> => {
  const text = `select ${columns} from projection_versions where $1::text is null or name = $1 order by name, version desc`;
  return (await tx.query<Version>(text, [name])).rows;
};

/** Creates the first version's row, when there is none. */
export const ensureLiveVersion = async (tx: Tx, name: string): Promise<void> => {
  await tx.query(
    `insert into projection_versions (name, version, schema, state, started_at)
     select $1, 1, $2, 'live', 0 where not exists (select from projection_versions where name = $1)
     on conflict do nothing`,
    [name, await ownSchema(tx)],
  );
};

export const addVersion = async (
  tx: Tx,
  { name, version, schema, startedAt }: Pick<Version, 'name' | 'version' | 'schema' | 'startedAt'>,
): Promise<void> => {
  await tx.query(
    `insert into projection_versions (name, version, schema, state, started_at) values ($1, $2, $3, 'building', $4)`,
    [name, version, schema, startedAt],
  );
};

type Changes = Partial<Record<ChangeableColumn, string | number | boolean | null>>;
type ChangeableColumn =
  | 'schema'
  | 'state'
  | 'events'
  | 'events_per_second'
  | 'seconds_left'
  | 'told_at'
  | 'built_at'
  | 'verified_at'
  | 'verified_equal'
  | 'swapped_at'
  | 'previous_version'
  | 'swap_told';

export const changeVersion = async (
  tx: Tx,
  { name, version }: Pick<Version, 'name' | 'version'>,
  changes: Changes,
): Promise<void> => {
  const entries = Object.entries(changes);
  const set = entries.map(([column], i) => `${column} = $${i + 3}`).join(', ');
  await tx.query(`update projection_versions set ${set} where name = $1 and version = $2`, [
    name,
    version,
    ...entries.map(([, value]) => value),
  ]);
};

/** @throws RebuildRefused when it does not exist, or is the live one */
export const versionOf = (versions: readonly Version[], name: string, version: number): Version => {
  const found = versions.find((row) => row.version === version);
  if (found?.state === 'live' || (version === 1 && versions.length === 0))
    throw new RebuildRefused('version-live', `version ${version} of ${name} is the live one`);
  if (found) return found;
  const others = versions.filter(({ state }) => state !== 'live').map((row) => row.version);
  const allowed = others.length === 0 ? 'none was built' : `allowed: ${others.join(', ')}`;
  throw new RebuildRefused('version-unknown', `there is no version ${version} of ${name}; ${allowed}`);
};

/** The requested version, or the newest that is not live. @throws RebuildRefused */
export const chooseVersion = (
  versions: readonly Version[],
  name: string,
  version: number | undefined,
): Version => {
  if (version !== undefined) return versionOf(versions, name, version);
  const newest = versions.find(({ state }) => state === 'building' || state === 'built');
  if (newest) return newest;
  throw new RebuildRefused(
    'nothing-built',
    `no version of ${name} was built: run projections rebuild ${name}`,
  );
};

export const readPosition = async (tx: Tx, checkpoint: string): Promise<Position | null> => {
  const text = 'select commit_position, prepare_position from checkpoints where name = $1';
  return checkpointOf((await tx.query<CheckpointRow>(text, [checkpoint])).rows);
};

/** Records every committed swap that the log lacks, at its own time: the command may have crashed. Twice appends once. */
export const announceSwaps = ({
  databaseUrl,
  noteSwap,
}: Pick<RebuildDependencies, 'databaseUrl' | 'noteSwap'>): Promise<number> =>
  withClient({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 }, async (client) => {
    const untold = (await readVersions(client))
      .filter(({ swapTold }) => swapTold === false)
      .sort((a, b) => (a.swappedAt ?? 0) - (b.swappedAt ?? 0));
    for (const { name: projection, version, previousVersion, swappedAt } of untold) {
      if (previousVersion === null || swappedAt === null) continue;
      await noteSwap({ projection, version, previousVersion, at: swappedAt });
      await changeVersion(client, { name: projection, version }, { swap_told: true });
    }
    return untold.length;
  });
