import pg from 'pg';
import type { Tx } from '../follow/projection.ts';
import { nameOf } from './table-definition.ts';

/** A table as one connection sees it. */
export type Side = { readonly tx: Tx; readonly schema: string };

/** Every column as text, as the database writes it; null is NULL. */
export type Row = Readonly<Record<string, string | null>>;

export type RowDifference = {
  readonly table: string;
  /** `missing` and `extra` are from the view of the rebuilt table. */
  readonly kind: 'different' | 'missing' | 'extra';
  readonly key: Row;
  readonly columns: readonly string[];
  readonly live: Row | null;
  readonly rebuilt: Row | null;
};

/** One of the rows that differ, how many do, and the keys of the first of them. */
export type Difference = RowDifference & { readonly rows: number; readonly keys: readonly Row[] };

export type Compared = { readonly rows: number; readonly difference: Difference | null };

export type CompareDependencies = {
  readonly live: Side;
  readonly rebuilt: Side;
  readonly signal: AbortSignal;
  readonly compared?: (rows: number) => void;
  /** Rows per digest. */
  readonly blockSize?: number;
  /** Rows with positions up to there may have been cleaned, and are not compared. */
  readonly cleaned?: { readonly column: string; readonly upTo: string };
};

const usualBlock = 10_000;

type Column = { readonly name: string; readonly type: string };
type Shape = {
  readonly table: string;
  readonly columns: readonly string[];
  readonly key: readonly Column[];
  readonly cleaned: CompareDependencies['cleaned'];
};
type Key = readonly string[];
/** The rows after `after`, up to `upTo` (inclusive); null means without limit. */
type Range = { readonly after: Key | null; readonly upTo: Key | null };

/** Compares two tables by primary key, so many rows at a time: by digests of the server, and where these differ, by row. */
export const compareTables = async (dependencies: CompareDependencies, table: string): Promise<Compared> => {
  const { live, rebuilt, signal, blockSize = usualBlock, compared = () => undefined } = dependencies;
  const shape = { ...(await shapeOf(live, table)), cleaned: dependencies.cleaned };
  let rows = 0;
  let difference: Difference | null = null;
  let range: Range = { after: null, upTo: null };
  do {
    signal.throwIfAborted();
    const { after } = range;
    range = { after, upTo: await lastOfBlock(live, shape, after, blockSize) };
    const [ours, theirs] = await Promise.all([digestOf(live, shape, range), digestOf(rebuilt, shape, range)]);
    rows += ours.rows;
    compared(rows);
    if (ours.digest !== theirs.digest)
      for await (const found of differences(dependencies, shape, range))
        difference = adding(difference, found);
    range = { after: range.upTo, upTo: null };
  } while (range.after !== null);
  return { rows, difference };
};

const keysShown = 5;

/** The same difference with one more row. */
export const adding = (known: Difference | null, found: RowDifference): Difference =>
  known === null
    ? { ...found, rows: 1, keys: [found.key] }
    : {
        ...known,
        rows: known.rows + 1,
        keys: known.rows < keysShown ? [...known.keys, found.key] : known.keys,
      };

const shapeOf = async ({ tx, schema }: Side, table: string): Promise<Omit<Shape, 'cleaned'>> => {
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

const listed = (names: readonly string[], cast = ''): string =>
  names.map((name) => `each.${pg.escapeIdentifier(name)}${cast}`).join(', ');
const keyNames = ({ key }: Shape, cast = ''): string =>
  listed(
    key.map(({ name }) => name),
    cast,
  );

/** @param what what to select from the rows of a range */
const select = async <R extends pg.QueryResultRow>(
  { tx, schema }: Side,
  shape: Shape,
  { after, upTo }: Range,
  what: string,
  rest = '',
): Promise<readonly R[]> => {
  const values: string[] = [];
  const row = (key: Key) => key.map((text, i) => `$${values.push(text)}::${shape.key[i]?.type}`).join(', ');
  const conditions = [
    ...(after ? [`(${keyNames(shape)}) > (${row(after)})`] : []),
    ...(upTo ? [`(${keyNames(shape)}) <= (${row(upTo)})`] : []),
    ...(shape.cleaned ? [`${listed([shape.cleaned.column])} > ${shape.cleaned.upTo}`] : []),
  ];
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const text = `select ${what} from ${nameOf(schema, shape.table)} as each ${where} ${rest}`;
  return (await tx.query<R>(text, values)).rows;
};

/** Null when fewer rows follow. */
const lastOfBlock = async (
  live: Side,
  shape: Shape,
  after: Key | null,
  blockSize: number,
): Promise<Key | null> => {
  const rest = `order by ${keyNames(shape)} offset ${blockSize - 1} limit 1`;
  const range = { after, upTo: null };
  const [last] = await select<{ key: Key }>(
    live,
    shape,
    range,
    `array[${keyNames(shape, '::text')}] as key`,
    rest,
  );
  return last?.key ?? null;
};

type Digest = { readonly rows: number; readonly digest: string };

/** Of each row as text, in the order of the key: NULLs, the order of a JSON's keys and missing rows all change it. */
const digestOf = async (side: Side, shape: Shape, range: Range): Promise<Digest> => {
  const rows = `sha256(convert_to(row(${listed(shape.columns)})::text, 'UTF8'))`;
  const all = `encode(sha256(coalesce(string_agg(${rows}, ''::bytea order by ${keyNames(shape)}), '')), 'hex')`;
  const found = await select<Digest>(side, shape, range, `count(*)::int as rows, ${all} as digest`);
  return found[0] as Digest; // an aggregate without groups is one row
};

/** The range has as many live rows as a block at most; of the rebuilt ones it may have any number. */
async function* differences(
  { live, rebuilt, signal, blockSize = usualBlock }: CompareDependencies,
  shape: Shape,
  range: Range,
): AsyncIterable<RowDifference> {
  const { table, columns } = shape;
  const keyOf = (row: Row) => shape.key.map(({ name }) => row[name] ?? '');
  const differing = (kind: RowDifference['kind'], ours: Row | null, theirs: Row | null): RowDifference => {
    const key = Object.fromEntries(shape.key.map(({ name }) => [name, (ours ?? theirs)?.[name] ?? null]));
    const which = kind === 'different' ? columns.filter((name) => ours?.[name] !== theirs?.[name]) : columns;
    return { table, kind, key, columns: which, live: ours, rebuilt: theirs };
  };
  const rowsOf = (side: Side, from: Key | null) => {
    const rest = `order by ${keyNames(shape)} limit ${blockSize}`;
    const compared = columns.map((name) => `${listed([name])}::text as ${pg.escapeIdentifier(name)}`);
    return select<Row>(side, shape, { ...range, after: from }, compared.join(', '), rest);
  };
  const left = new Map((await rowsOf(live, range.after)).map((row) => [JSON.stringify(keyOf(row)), row]));
  for (let { after } = range, isLast = false; !isLast;) {
    signal.throwIfAborted();
    const page = await rowsOf(rebuilt, after);
    for (const theirs of page) {
      const key = JSON.stringify(keyOf(theirs));
      const ours = left.get(key);
      left.delete(key);
      if (!ours) yield differing('extra', null, theirs);
      else if (columns.some((name) => ours[name] !== theirs[name]))
        yield differing('different', ours, theirs);
    }
    const last = page.at(-1);
    isLast = page.length < blockSize;
    after = last ? keyOf(last) : after;
  }
  for (const ours of left.values()) yield differing('missing', ours, null);
}
