import { withClient } from '../../common/with-client.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { leaderPid } from '../database/installation.ts';
import { checkpointOf, type CheckpointRow } from '../follow/checkpoint.ts';
import type { Tx } from '../follow/projection.ts';
import { checkpointNameOf, rebuildables } from './rebuildables.ts';
import { readVersions, type Version } from './versions.ts';

export type ProjectionStatus = {
  readonly name: string;
  readonly live: {
    readonly version: number;
    readonly position: Position | null;
    /** Whether it has ever applied the whole log. */
    readonly complete: boolean;
  };
  readonly others: readonly OtherVersion[];
  readonly busy: boolean;
};

export type OtherVersion = Version & { readonly position: Position | null };

export const readStatus = async (tx: Tx): Promise<readonly ProjectionStatus[]> => {
  const versions = await readVersions(tx);
  const { rows: held } = await tx.query<{ name: string }>(
    `select name from unnest($1::text[]) as name where ${leaderPid(`'rebuild:' || name`)} is not null`,
    [rebuildables.map(({ name }) => name)],
  );
  const { rows: checkpoints } = await tx.query<
    CheckpointRow & { readonly name: string; readonly complete: boolean }
  >('select name, commit_position, prepare_position, complete from checkpoints');
  const checkpoint = (name: string) => checkpoints.find((row) => row.name === name);
  const positionOf = (name: string) => checkpointOf(checkpoints.filter((row) => row.name === name));
  return rebuildables.map(({ name, group }) => {
    const own = versions.filter((version) => version.name === name);
    return {
      name,
      live: {
        version: own.find(({ state }) => state === 'live')?.version ?? 1,
        position: positionOf(group),
        complete: checkpoint(group)?.complete ?? false,
      },
      others: own
        .filter(({ state }) => state !== 'live')
        .map((version) => ({ ...version, position: positionOf(checkpointNameOf(name, version.version)) })),
      busy: held.some((session) => session.name === name),
    };
  });
};

export const status = (databaseUrl: string): Promise<readonly ProjectionStatus[]> =>
  withClient({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 }, readStatus);
