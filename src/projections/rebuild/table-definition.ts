import pg from 'pg';
import type { Tx } from '../follow/projection.ts';

/** A table as in the catalog, without its schema: `<table>` stands for its name, `<model>` for that of a table to copy. */
export type TableDefinition = {
  /** What LIKE copies: columns and checks. */
  readonly copied: readonly string[];
  /** Creates a table like it, without indexes that no constraint has, and partitions: the writer creates those. */
  readonly create: readonly string[];
  /** Without those of constraints. */
  readonly indexes: readonly { readonly name: string; readonly create: string }[];
};

export const nameOf = (schema: string, table: string): string =>
  `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`;

/** Null when the table does not exist. */
export const readDefinition = async (
  tx: Tx,
  schema: string,
  table: string,
): Promise<TableDefinition | null> => {
  const { rows } = await tx.query<TableDefinition>(readTable, [schema, table]);
  return rows[0] ?? null;
};

/** LIKE would give indexes names of its own, and leaves out everything from the partitioning on. */
const readTable = `
  select
    array(
      select concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod), a.attcollation::regcollation,
        case when a.attnotnull then 'not null' end, pg_get_expr(d.adbin, d.adrelid), a.attgenerated, a.attidentity, a.attstorage,
        col_description(c.oid, a.attnum))
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) ||
    array(select pg_get_constraintdef(oid) from pg_constraint where conrelid = c.oid and contype = 'c' order by conname) as copied,
    array[format('create %stable <table> (like <model> including all excluding indexes)%s%s', case c.relpersistence when 'u' then 'unlogged ' end,
      ' partition by ' || pg_get_partkeydef(c.oid), ' with (' || array_to_string(c.reloptions, ', ') || ')')] ||
    array(
      select format('alter table <table> add constraint %I %s', conname, pg_get_constraintdef(oid))
      from pg_constraint where conrelid = c.oid and contype not in ('c', 'n', 't') order by contype <> 'p', conname) ||
    array(
      select format('grant %s on <table> to %s%s', privilege_type, case grantee when 0 then 'public' else quote_ident(grantee::regrole::text) end,
        case when is_grantable then ' with grant option' end)
      from aclexplode(c.relacl) where grantee <> c.relowner order by grantee, privilege_type) ||
    array(
      select replace(pg_get_triggerdef(oid), format(' ON %I.%I ', n.nspname, c.relname), ' ON <table> ')
      from pg_trigger where tgrelid = c.oid and not tgisinternal order by tgname) ||
    array(select format('comment on table <table> is %L', comment) from obj_description(c.oid, 'pg_class') as comment where comment is not null)
      as create,
    array(
      select json_build_object('name', ic.relname, 'create', replace(
        replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON '), format(' ON %I.%I USING ', n.nspname, c.relname), ' ON <table> USING '))
      from pg_index i join pg_class ic on ic.oid = i.indexrelid
      where i.indrelid = c.oid and not exists (select from pg_constraint where conindid = i.indexrelid and conrelid = c.oid)
      order by ic.relname) as indexes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p')`;

/** A statement of the definition, for a table of this name. */
export const statementFor = (statement: string, name: string, model = ''): string =>
  statement.replace('<table>', () => name).replace('<model>', () => model);

/** A partitioned table's partitions, by their plain names; an ordinary table has none. */
export const readPartitionNames = async (
  tx: Tx,
  schema: string,
  table: string,
): Promise<readonly string[]> => {
  const { rows } = await tx.query<{ name: string }>(
    `select c.relname as name
     from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
          join pg_namespace n on n.oid = p.relnamespace
     where n.nspname = $1 and p.relname = $2 order by 1`,
    [schema, table],
  );
  return rows.map(({ name }) => name);
};

/** Whether one can replace the other: equal in everything but indexes that are still to be created. */
export const fits = (built: TableDefinition, live: TableDefinition): boolean => {
  const names = new Set(built.indexes.map(({ name }) => name));
  const soFar = { ...live, indexes: live.indexes.filter(({ name }) => names.has(name)) };
  return JSON.stringify(built) === JSON.stringify(soFar);
};
