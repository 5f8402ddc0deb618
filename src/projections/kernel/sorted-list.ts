import { cursorText, readCursor } from '../../domain/kernel/list-cursor.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { PageAsked, PageOf, Total } from '../read-models.ts';

/** A table that is read a page at a time, in the order of its ids or of what has an index. */
export type SortedList = {
  readonly table: string;
  readonly id: string;
  /** What is read of each, next to the id. */
  readonly columns?: string;
  /** By the name of the order: an expression that an index has, followed by the id. */
  readonly keys: Readonly<Record<string, string>>;
  /** Those who match are found first: the order would be cheaper only where nearly everybody matches. */
  readonly matchesFirst?: boolean;
};

/** Which of them. One statement for each combination, so that each is planned with the matching index. */
export type Condition = {
  readonly name: string;
  /** Empty: all. */
  readonly where: string;
  /** `$3` and following. */
  readonly values: readonly unknown[];
};

/** The first words of a name, without case and accents, as the indexes …_by_name have it. */
export const nameKey = (words: string): string => {
  const word = (place: number) => `coalesce(${words}[${place}], '')`;
  return `left(${[1, 2, 3, 4].map(word).join(` || ' ' || `)}, 40) collate "C"`;
};

/** Behind every text: no character is greater. */
export const listEnd = '\u{10ffff}';

/** How a list is sorted by `sort`: a name, with `-` in front from the end. What has no key is sorted by the id. */
const orderOf = ({ keys }: SortedList, sort: string) => {
  const isBack = sort.startsWith('-');
  return { isBack, key: keys[isBack ? sort.slice(1) : sort] ?? null };
};

/** Reads a page: `$1` is where it begins, `$2` how many it has at most. */
export const pageStatement = (list: SortedList, where: string, sort = ''): string => {
  const { id, table, columns = '', matchesFirst = false } = list;
  const { isBack, key } = orderOf(list, sort);
  const [than, way] = isBack ? ['<', ' desc'] : ['>', ''];
  const from = (idColumn: string, value: string | null) =>
    value === null
      ? `${idColumn} ${than} $1 order by ${idColumn}${way} limit $2`
      : `(${value}, ${idColumn}) ${than} (($1::text[])[1], ($1::text[])[2]) order by ${value}${way}, ${idColumn}${way} limit $2`;
  const selected = `select ${id} as id${key === null ? '' : `, ${key} as value`}${columns} from ${table}`;
  return matchesFirst && where !== ''
    ? `with matching as materialized (${selected} where ${where})
       select * from matching where ${from('id', key && 'value')}`
    : `${selected} where ${where === '' ? '' : `${where} and `}${from(id, key)}`;
};

/** Counts to `$2` at most; `$1` is null, so that values have the same numbers. */
export const countStatement = (table: string, where: string): string =>
  `select count(*)::int as count
   from (select 1 from ${table} where $1::text is null${where === '' ? '' : ` and ${where}`} limit $2) as counted`;

type Row = { readonly id: string; readonly value?: string };

/** What was counted to one more than `most`. */
export const totalOf = (count: number, most: number): Total => ({
  count: Math.min(count, most),
  isMore: count > most,
});

export const countMatching = async (
  reader: PipelinedReader,
  table: string,
  { name, where, values }: Condition,
  most: number,
): Promise<Total> => {
  const statement = { name: `count-${name}`, text: countStatement(table, where) };
  const [row] = await reader.query<{ readonly count: number }>(statement, [null, most + 1, ...values]);
  return totalOf(row?.count ?? 0, most);
};

/** A page of the list. What changes between two pages moves nothing else: a page goes on behind the values of the last entry. */
export const readPage = async <Found extends object>(
  reader: PipelinedReader,
  list: SortedList,
  condition: Condition,
  { after, limit, sort = '', countTo }: PageAsked,
): Promise<PageOf<Found & Pick<Row, 'id'>>> => {
  const { isBack, key } = orderOf(list, sort);
  const start = isBack ? listEnd : '';
  const { value, id } = (after === null ? null : readCursor(after)) ?? { value: start, id: start };
  const statement = {
    name: `${condition.name}${sort === '' ? '' : ` ${sort}`}`,
    text: pageStatement(list, condition.where, sort),
  };
  const [read, total] = await Promise.all([
    reader.query<Found & Row>(statement, [key === null ? id : [value, id], limit + 1, ...condition.values]),
    countTo === undefined ? null : countMatching(reader, list.table, condition, countTo),
  ]);
  const last = read.at(limit - 1);
  return {
    rows: read.slice(0, limit).map(({ value: _value, ...row }) => row as Found & Row),
    next: read.length > limit && last ? cursorText({ sort, value: last.value ?? '', id: last.id }) : null,
    ...(total && { total }),
  };
};
