import pg from 'pg';
import { plannedByKeys } from '../database/planner.ts';
import { takeLease } from '../follow/checkpoint.ts';
import { loadParkedKeys, type ReadSkipped } from '../parking/parked-keys.ts';
import type { Tx } from '../follow/projection.ts';
import type { Worker } from './advance.ts';
import { checkpointNameOf, type Rebuildable } from './rebuildables.ts';
import { liveSchema } from './prepare-version.ts';
import type { Version } from './versions.ts';

/** From now on this connection finds the version's tables under the names that the projection's writer uses. */
export const enterVersion = async (tx: Tx, { schema }: Version): Promise<void> => {
  await tx.query(
    `set search_path = ${pg.escapeIdentifier(schema)}, ${liveSchema}; set synchronous_commit = off;
     ${plannedByKeys}`,
  );
};

export const leaveVersion = async (tx: Tx): Promise<void> => {
  await tx.query(
    'reset search_path; reset synchronous_commit; reset enable_seqscan; reset enable_hashjoin; reset enable_mergejoin; discard plans',
  );
};

/** The right to write a version. */
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
