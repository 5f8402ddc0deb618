import pg from 'pg';
import { inTransaction } from '../../common/transaction.ts';
import { ownSchema } from '../database/own-schema.ts';
import { checkpointNameOf, rebuildableOf } from './rebuildables.ts';
import { withSession, type RebuildDependencies } from './session.ts';
import { nameOf } from './table-definition.ts';
import { readVersions, versionOf } from './versions.ts';

export type Dropped = { readonly name: string; readonly version: number };

/** Removes a version that is not live: an old, a finished or an unfinished one. @throws RebuildRefused */
export const drop = async (
  dependencies: Pick<RebuildDependencies, 'databaseUrl' | 'logger' | 'signal'>,
  { name, version }: Dropped,
): Promise<Dropped> => {
  const { tables, group } = rebuildableOf(name);
  return withSession(dependencies, name, ({ tx }) =>
    inTransaction(tx, async () => {
      const found = versionOf(await readVersions(tx, name), name, version);
      if (found.schema === (await ownSchema(tx)))
        throw new Error(`version ${version} of ${name} is where the live tables are`);
      // Without cascade: objects that somebody else has built on the tables cause an error, and stay.
      await tx.query(`drop table if exists ${tables.map((table) => nameOf(found.schema, table)).join(', ')}`);
      // The projector holds this lock while it erases in every version that it sees: it either still sees this version,
      // or no longer does.
      await tx.query('select from checkpoints where name = $1 for update', [group]);
      await tx.query(`drop schema if exists ${pg.escapeIdentifier(found.schema)}`);
      await tx.query('delete from projection_versions where name = $1 and version = $2', [name, version]);
      const checkpoint = checkpointNameOf(name, version);
      await tx.query(`delete from checkpoints where name = $1`, [checkpoint]);
      await tx.query(`delete from parked_events where checkpoint = $1`, [checkpoint]);
      return { name, version };
    }),
  );
};
