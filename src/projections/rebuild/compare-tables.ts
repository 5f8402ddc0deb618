import pg from 'pg';
import type { Tx } from '../follow/projection.ts';
import { nameOf } from './table-definition.ts';

/** A table as one connection sees it. */
export type Side = { readonly tx: Tx; readonly schema: string };

/** Every column as text, as the database writes it; null is NULL. */
export type Row = Readonly<Record<string, string | null>>;

export type Difference = {
  readonly table: string;
  /** `missing` and `extra` are from the view of the rebuilt table. */
  readonly kind: 'different' | 'missing' | 'extra';
  readonly key: Row;
  readonly columns: readonly string[];
  readonly live: Row | null;
  readonly rebuilt: Row | null;
};

export type Compared = { readonly rows: number; readonly difference: Difference | null };

export type CompareDependencies = {
  readonly live: Side;
  readonly rebuilt: Side;
  readonly signal: AbortSignal;
  readonly compared?: (rows: number) => void;
  /** Rows per digest. */
  readonly blockSize?: number;
};

type Column = { readonly name: string; readonly type: string };
type Shape = { readonly table: string; readonly columns: readonly string[]; readonly key: readonly Column[] };
type Key = readonly string[];
/** The rows after `after`, up to `upTo` (inclusive); null means without limit. */
type Range = { readonly after: Key | null; readonly upTo: Key | null };

/**
 * Compares two tables block by block in the order of the primary key, by digests that the servers compute, down to the
 * first row that differs. A block ends with a live row, so an extra row is in the block of the live row that follows
 * it.
 */
export const compareTables = async (dependencies: CompareDependencies, table: string): Promise<Compared> => {
  const { live, signal, blockSize = 10_000, compared = () => undefined } = dependencies;
  const shape = await shapeOf(live, table);
  let rows = 0;
  let after: Key | null = null;
  for (;;) {
    signal.throwIfAborted();
    const upTo: Key | null = await lastOfBlock(live, shape, after, blockSize);
    const range: Range = { after, upTo };
    const [ours, theirs] = await digests(dependencies, shape, range);
    rows += ours.rows;
    compared(rows);
    if (ours.digest !== theirs.digest)
      return { rows, difference: await firstDifference(dependencies, shape, range, ours.rows) };
    if (upTo === null) return { rows, difference: null };
    after = upTo;
  }
};

const shapeOf = async ({ tx, schema }: Side, table: string): Promise<Shape> => {
  const { rows } = await tx.query<{ columns: string[]; key: Column[] | null }>(
    `select (select array_agg(attname::text order by attnum) from pg_attribute
             where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
            (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by k.place)
             from pg_index i cross join unnest(i.indkey::int[]) with ordinality as k (attnum, place)
                  join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
             where i.indrelid = c.oid and i.indisprimary) as key
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = $2`,
    [schema, table],
  );
  const [found] = rows;
  if (!found?.key) throw new Error(`the table ${table} has no primary key to compare it by`);
  return { table, columns: found.columns, key: found.key };
};

const keyNames = ({ key }: Shape): string => key.map(({ name }) => pg.escapeIdentifier(name)).join(', ');

const within = (shape: Shape, { after, upTo }: Range): { readonly where: string; readonly values: Key } => {
  const row = (first: number) => shape.key.map(({ type }, i) => `$${first + i}::${type}`).join(', ');
  const names = keyNames(shape);
  const conditions = [
    ...(after ? [`(${names}) > (${row(1)})`] : []),
    ...(upTo ? [`(${names}) <= (${row(1 + (after?.length ?? 0))})`] : []),
  ];
  return {
    where: conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`,
    values: [...(after ?? []), ...(upTo ?? [])],
  };
};

const keyAt = async ({ tx, schema }: Side, shape: Shape, range: Range, rest: string): Promise<Key | null> => {
  const { where, values } = within(shape, range);
  const columns = shape.key.map(({ name }) => `${pg.escapeIdentifier(name)}::text`);
  const { rows } = await tx.query<{ key: string[] }>(
    `select array[${columns.join(', ')}] as key from ${nameOf(schema, shape.table)} ${where} ${rest}`,
    [...values],
  );
  return rows[0]?.key ?? null;
};

const ordered = (shape: Shape, direction: 'asc' | 'desc'): string =>
  `order by ${shape.key.map(({ name }) => `${pg.escapeIdentifier(name)} ${direction}`).join(', ')}`;

/** Null when no live row follows. */
const lastOfBlock = async (
  live: Side,
  shape: Shape,
  after: Key | null,
  blockSize: number,
): Promise<Key | null> => {
  const range = { after, upTo: null };
  const full = await keyAt(live, shape, range, `${ordered(shape, 'asc')} offset ${blockSize - 1} limit 1`);
  return full ?? keyAt(live, shape, range, `${ordered(shape, 'desc')} limit 1`);
};

type Digest = { readonly rows: number; readonly digest: string };

/** Of each row as text, in the order of the key: NULLs, the order of a JSON's keys and missing rows all change it. */
const digestOf = async ({ tx, schema }: Side, shape: Shape, range: Range): Promise<Digest> => {
  const { where, values } = within(shape, range);
  const names = shape.columns.map((name) => pg.escapeIdentifier(name)).join(', ');
  const { rows } = await tx.query<Digest>(
    `select count(*)::int as rows,
            encode(sha256(coalesce(string_agg(sha256(convert_to(row(${names})::text, 'UTF8')), ''::bytea ${ordered(shape, 'asc')}), '')), 'hex') as digest
     from ${nameOf(schema, shape.table)} ${where}`,
    [...values],
  );
  return rows[0] as Digest; // an aggregate without groups is one row
};

const digests = ({ live, rebuilt }: CompareDependencies, shape: Shape, range: Range) =>
  Promise.all([digestOf(live, shape, range), digestOf(rebuilt, shape, range)]);

/** Halves a range that differs, with this many live rows, until at most one live row is left. */
const firstDifference = async (
  dependencies: CompareDependencies,
  shape: Shape,
  range: Range,
  liveRows: number,
): Promise<Difference> => {
  if (liveRows <= 1) return differenceIn(dependencies, shape, range);
  dependencies.signal.throwIfAborted();
  const half = Math.floor(liveRows / 2);
  const middle = await keyAt(
    dependencies.live,
    shape,
    range,
    `${ordered(shape, 'asc')} offset ${half - 1} limit 1`,
  );
  if (!middle) throw new Error(`the rows of ${shape.table} changed while they were compared`);
  const first: Range = { after: range.after, upTo: middle };
  const [ours, theirs] = await digests(dependencies, shape, first);
  return ours.digest === theirs.digest
    ? firstDifference(dependencies, shape, { after: middle, upTo: range.upTo }, liveRows - half)
    : firstDifference(dependencies, shape, first, half);
};

/** The live row, if there is one, is the last of the range. */
const differenceIn = async (
  { live, rebuilt }: CompareDependencies,
  shape: Shape,
  range: Range,
): Promise<Difference> => {
  const [ours, theirs] = await Promise.all([firstRow(live, shape, range), firstRow(rebuilt, shape, range)]);
  const { table, columns } = shape;
  const keyOf = (row: Row): Row => Object.fromEntries(shape.key.map(({ name }) => [name, row[name] ?? null]));
  const sameKey = ours && theirs && shape.key.every(({ name }) => ours[name] === theirs[name]);
  if (ours && theirs && sameKey) {
    const differing = columns.filter((name) => ours[name] !== theirs[name]);
    return { table, kind: 'different', key: keyOf(ours), columns: differing, live: ours, rebuilt: theirs };
  }
  if (theirs) return { table, kind: 'extra', key: keyOf(theirs), columns, live: null, rebuilt: theirs };
  if (ours) return { table, kind: 'missing', key: keyOf(ours), columns, live: ours, rebuilt: null };
  throw new Error(`the rows of ${table} changed while they were compared`);
};

const firstRow = async ({ tx, schema }: Side, shape: Shape, range: Range): Promise<Row | null> => {
  const { where, values } = within(shape, range);
  const columns = shape.columns.map(
    (name) => `${pg.escapeIdentifier(name)}::text as ${pg.escapeIdentifier(name)}`,
  );
  const { rows } = await tx.query<Row>(
    `select ${columns.join(', ')} from (select * from ${nameOf(schema, shape.table)} ${where} ${ordered(shape, 'asc')} limit 1) as first`,
    [...values],
  );
  return rows[0] ?? null;
};
