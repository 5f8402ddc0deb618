import pg from 'pg';
import type { Tx } from '../follow/projection.ts';

/** A table as in the catalog, without its schema. */
export type TableDefinition = {
  readonly table: string;
  readonly unlogged: boolean;
  /** Such as `fillfactor=70`. */
  readonly options: readonly string[];
  readonly comment: string | null;
  /**
   * Such as `RANGE (created)`. The partitions are not part of the definition: the writer creates those that it needs.
   */
  readonly partitionedBy: string | null;
  readonly columns: readonly Column[];
  readonly constraints: readonly { readonly name: string; readonly definition: string }[];
  /** Without those of constraints. */
  readonly indexes: readonly { readonly name: string; readonly definition: string }[];
  readonly grants: readonly {
    readonly privilege: string;
    readonly to: string;
    readonly grantable: boolean;
  }[];
};

type Column = {
  readonly name: string;
  readonly type: string;
  readonly collation: string | null;
  readonly notNull: boolean;
  readonly default: string | null;
  readonly generated: boolean;
  readonly storage: string | null;
  readonly comment: string | null;
};

/** Stands for the table in an index's definition. */
const place = '<table>';

export const nameOf = (schema: string, table: string): string =>
  `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`;

/** Null when there is no such table. */
export const readDefinition = async (
  tx: Tx,
  schema: string,
  table: string,
): Promise<TableDefinition | null> => {
  const { rows } = await tx.query<{ definition: TableDefinition }>(readTable, [schema, table]);
  const definition = rows[0]?.definition ?? null;
  for (const column of definition?.columns ?? [])
    if (column.default?.includes('nextval('))
      throw new Error(`${table}.${column.name} takes its default from a sequence, which has no versions`);
  return definition;
};

const readTable = `
  select json_build_object(
    'table', c.relname,
    'unlogged', c.relpersistence = 'u',
    'options', coalesce(to_json(c.reloptions), '[]'),
    'comment', obj_description(c.oid, 'pg_class'),
    'partitionedBy', pg_get_partkeydef(c.oid),
    'columns', (
      select coalesce(json_agg(json_build_object(
        'name', a.attname,
        'type', format_type(a.atttypid, a.atttypmod),
        'collation', case when a.attcollation <> t.typcollation then
          (select format('%I.%I', cn.nspname, co.collname) from pg_collation co join pg_namespace cn on cn.oid = co.collnamespace
           where co.oid = a.attcollation) end,
        'notNull', a.attnotnull,
        'default', pg_get_expr(d.adbin, d.adrelid),
        'generated', a.attgenerated <> '' or a.attidentity <> '',
        'storage', case when a.attstorage <> t.typstorage then
          case a.attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end end,
        'comment', col_description(c.oid, a.attnum)) order by a.attnum), '[]')
      from pg_attribute a join pg_type t on t.oid = a.atttypid
           left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
    'constraints', (
      select coalesce(json_agg(json_build_object('name', conname, 'definition', pg_get_constraintdef(oid)) order by contype <> 'p', conname), '[]')
      from pg_constraint where conrelid = c.oid and contype <> 'n'),
    'indexes', (
      select coalesce(json_agg(json_build_object('name', ic.relname, 'definition', replace(
        replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON '), format(' ON %I.%I USING ', n.nspname, c.relname), ' ON ${place} USING '))
        order by ic.relname), '[]')
      from pg_index i join pg_class ic on ic.oid = i.indexrelid
      where i.indrelid = c.oid and not exists (select from pg_constraint where conindid = i.indexrelid and conrelid = c.oid)),
    'grants', (
      select coalesce(json_agg(json_build_object(
        'privilege', privilege_type, 'grantable', is_grantable,
        'to', case when grantee = 0 then 'public' else quote_ident(grantee::regrole::text) end) order by grantee, privilege_type), '[]')
      from aclexplode(c.relacl) where grantee <> c.relowner)) as definition
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p')`;

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

/** The table with its constraints, without the other indexes. */
export const createTable = (definition: TableDefinition, schema: string): readonly string[] => {
  const name = nameOf(schema, definition.table);
  const parts = [
    ...definition.columns.map(columnText),
    ...definition.constraints.map((c) => `constraint ${pg.escapeIdentifier(c.name)} ${c.definition}`),
  ];
  const partitioned = definition.partitionedBy === null ? '' : ` partition by ${definition.partitionedBy}`;
  const options = definition.options.length > 0 ? ` with (${definition.options.join(', ')})` : '';
  return [
    `create ${definition.unlogged ? 'unlogged ' : ''}table ${name} (${parts.join(', ')})${partitioned}${options}`,
    ...(definition.comment === null
      ? []
      : [`comment on table ${name} is ${pg.escapeLiteral(definition.comment)}`]),
    ...definition.columns.flatMap((column) => [
      ...(column.storage === null
        ? []
        : [
            `alter table ${name} alter column ${pg.escapeIdentifier(column.name)} set storage ${column.storage}`,
          ]),
      ...(column.comment === null
        ? []
        : [
            `comment on column ${name}.${pg.escapeIdentifier(column.name)} is ${pg.escapeLiteral(column.comment)}`,
          ]),
    ]),
    ...definition.grants.map(
      ({ privilege, to, grantable }) =>
        `grant ${privilege} on ${name} to ${to}${grantable ? ' with grant option' : ''}`,
    ),
  ];
};

const columnText = ({ name, type, collation, notNull, generated, ...column }: Column): string => {
  if (generated) throw new Error(`the column ${name} makes its own values, which is not copied`);
  return [
    pg.escapeIdentifier(name),
    type,
    ...(collation === null ? [] : [`collate ${collation}`]),
    ...(column.default === null ? [] : [`default ${column.default}`]),
    ...(notNull ? ['not null'] : []),
  ].join(' ');
};

/** @param index one of `definition.indexes` */
export const createIndex = (
  { table }: TableDefinition,
  index: TableDefinition['indexes'][number],
  schema: string,
): string => {
  if (!index.definition.includes(place)) throw new Error(`the index ${index.name} is not on ${table}`);
  return index.definition.replace(place, nameOf(schema, table));
};

/** Whether one can replace the other: equal in everything but indexes that are still to be created. */
export const fits = (built: TableDefinition, live: TableDefinition): boolean => {
  const names = new Set(built.indexes.map(({ name }) => name));
  const soFar = { ...live, indexes: live.indexes.filter(({ name }) => names.has(name)) };
  return JSON.stringify(built) === JSON.stringify(soFar);
};
