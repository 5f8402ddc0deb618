import { liveReadModels } from '../../projections/checkpoint.ts';
import { historyGroup, historyProjections } from '../../projections/history.ts';
import type { ParkedKey } from '../../projections/parked-rows.ts';
import type { Projection, Tx } from '../../projections/projection.ts';
import { readModelProjections } from '../../projections/read-model-projections.ts';

/** Whose writer applies a key's events, and where its tables are if it is a version that is built beside the live one. */
export type Group = { readonly projection: Projection; readonly schema?: string };

/** Null for what this program does not know: a newer one has parked it. */
export const groupOf = async (tx: Tx, { checkpoint, projection: name }: ParkedKey): Promise<Group | null> => {
  const projection = known.find((one) => one.name === name);
  if (!projection) return null;
  if (checkpoint === liveReadModels || checkpoint === historyGroup) return { projection };
  const { rows } = await tx.query<{ readonly schema: string }>(
    `select schema from projection_versions
     where starts_with($1 || ':', 'rebuild:' || name || ':v' || version || ':')`,
    [checkpoint],
  );
  const [version] = rows;
  return version ? { projection, schema: version.schema } : null;
};

const known: readonly Projection[] = [...readModelProjections, ...historyProjections];
