import type { Command } from 'commander';
import type { Names } from '../../tasks/find.ts';
import { nameWithId } from '../../audit/timeline/words.ts';
import { lines, sheet, table, type Text } from './answer.ts';
import { oneOrMoreOf } from './option-values.ts';
import { printableValue } from './printable.ts';

/** A list as people see it (AP-09): each column has the name of a key of its items. */
export type ShownList = {
  readonly columns: readonly string[];
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly next?: string | null;
  readonly names?: Names;
  readonly none: string;
  /** How many characters of a text a cell shows; by default all. */
  readonly mostInCell?: number;
};

export const withColumns = (command: Command, columns: readonly string[]): Command =>
  command.option('--columns <names>', `of ${columns.join(',')}`, oneOrMoreOf(columns));

export type ColumnOptions = { readonly columns?: readonly string[] };

export const listText = (
  { columns, items, next = null, names = {}, none, mostInCell = Infinity }: ShownList,
  chosen?: readonly string[],
): Text => {
  const keys = chosen ?? columns;
  const all = chosen === undefined ? '--columns chooses, --json has all' : null;
  const rows = items.map((item) => keys.map((key) => cellsOf(item[key], names, mostInCell)));
  return lines(
    items.length === 0 ? none : table(keys.map(words), rows, all),
    ...(next === null ? [] : [`More: --after ${next}`]),
  );
};

/** As many names of a list as fit into a row. */
const mostNames = 3;

/** The name of what an id names above the id. */
const cellsOf = (value: unknown, names: Names, most: number): string => {
  const cut = (text: string) => printableValue(text.length > most ? `${text.slice(0, most - 1)}…` : text);
  const ids = [value].flat();
  if (!ids.some((id) => typeof id === 'string' && Object.hasOwn(names, id)))
    return cut(valueOf(value, names));
  const shown = ids
    .slice(0, mostNames)
    .map((id) => printableValue(String(id)))
    .flatMap((id) => (Object.hasOwn(names, id) ? [cut(names[id] ?? ''), id] : [id]));
  const more = ids.length - mostNames;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
};

/** One thing with its fields; a name stands before its id. */
export const sheetOf = (json: Readonly<Record<string, unknown>>, names: Names): string =>
  sheet(Object.fromEntries(Object.entries(json).map(([key, value]) => [words(key), valueOf(value, names)])));

/** Ids keep their key: it is what other commands and the JSON call them. */
export const words = (key: string): string => (key.endsWith('_id') ? key : key.replaceAll('_', ' '));

export const named = (id: string, names: Names): string =>
  nameWithId({ id, name: Object.hasOwn(names, id) ? (names[id] ?? null) : null });

const valueOf = (value: unknown, names: Names): string => {
  if (value === null || value === undefined || value === '') return 'none';
  if (Array.isArray(value)) return value.map((one) => valueOf(one, names)).join('  ') || 'none';
  if (typeof value === 'object')
    return Object.values(value)
      .filter((part) => part !== null)
      .map((part) => valueOf(part, names))
      .join(' ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? printableValue(named(value, names)) : JSON.stringify(value);
};
