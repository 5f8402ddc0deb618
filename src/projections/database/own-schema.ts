import pg from 'pg';
import type { Tx } from '../follow/projection.ts';

/**
 * Everything is in the schema that the `search_path` of the role begins with (PostgreSQL recommends one of the role's name): statements name no
 * schema. Versions of read models are in schemas of their own, which `enterSchema` puts first; `checkpoints` is in none of those.
 */
export const ownSchema = async (tx: Tx): Promise<string> => {
  const { rows } = await tx.query<{ schema: string }>(
    `select nspname as schema from pg_namespace where oid = (select relnamespace from pg_class where oid = 'checkpoints'::regclass)`,
  );
  return rows[0]?.schema ?? '';
};

/** From now on the connection finds the tables of this schema first. @param isLocal until the end of the transaction */
export const enterSchema = async (tx: Tx, schema: string, isLocal = false): Promise<void> => {
  await tx.query(`select set_config('search_path', $1 || ', ' || current_setting('search_path'), $2)`, [
    pg.escapeIdentifier(schema),
    isLocal,
  ]);
};

type Facts = {
  readonly schema: string | null;
  readonly path: string;
  readonly role: string;
  readonly may: boolean | null;
};

export type Unwritable = { readonly why: string; readonly advice: string };

/** Why no table can be created, and what to do; null when they can. */
export const findUnwritable = async (tx: Tx): Promise<Unwritable | null> => {
  const { rows } = await tx.query<Facts>(
    `select current_schema() as schema, current_setting('search_path') as path, current_user as role,
            has_schema_privilege(current_schema(), 'create') as may`,
  );
  const { schema, path, role, may } = rows[0] as Facts;
  if (may) return null;
  const named = pg.escapeIdentifier(role);
  const create = `create a schema of its name (create schema authorization ${named})`;
  return schema === null
    ? { why: `no schema of the search_path (${path}) of the role ${role} is there`, advice: create }
    : {
        why: `the role ${role} may create nothing in the schema ${schema}, with which its search_path (${path}) begins`,
        advice: `${create}, or allow it (grant create on schema ${pg.escapeIdentifier(schema)} to ${named})`,
      };
};

/** @throws SchemaUnwritable */
export const refuseUnwritable = async (tx: Tx): Promise<void> => {
  const found = await findUnwritable(tx);
  if (found) throw new SchemaUnwritable(`Nothing was changed in the database: ${found.why}; ${found.advice}`);
};

/** The role of the connection can create no tables where its `search_path` begins. */
export class SchemaUnwritable extends Error {
  override readonly name = 'SchemaUnwritable';
}
