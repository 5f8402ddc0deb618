import { fieldsOf } from '../../tasks/fields.ts';
import type { Entity, Listed } from '../../tasks/task.ts';
import { sortingOf, type Paging, type Sorting } from '../pages/components.ts';
import { only, type Params } from '../requests/params.ts';
import type { Reader } from '../words/reader.ts';

export const perPage = 50;

/** How many earlier pages an address leads back to, and how long they may make it: a place in a sorted list has the value, too. */
const mostBack = 40;
const longestBack = 1_600;

type PagingIn = { readonly after: string | null; readonly from: number; readonly back: readonly string[] };

/** What the address of a page has besides filters. */
export const ofPaging: readonly string[] = ['after', 'from', 'back'];

export const pagingIn = (query: Params): PagingIn => {
  const from = Number(/^\d{1,9}$/.exec(only(query, 'from') ?? '')?.[0] ?? 1);
  const after = only(query, 'after') ?? '';
  const back = (only(query, 'back') ?? '').split(',').slice(-mostBack);
  return { after: after === '' ? null : after, from: Math.max(1, from), back: after === '' ? [] : back };
};

/** Lists go on after an id; an address carries the ids of the pages before it. */
export const pagingOf = (
  here: string,
  sent: Sent,
  { after, from, back }: PagingIn,
  { items, next }: Listed,
  all: Paging['all'],
): Paging => {
  const to = (more: Readonly<Record<string, string>>) => addressOf(here, sent, more);
  const before = back.at(-1) ?? '';
  const previousFrom = String(Math.max(1, from - perPage));
  const whole = { count: from + items.length - 1, isMore: next !== null };
  return {
    from,
    shown: items.length,
    all: all ?? (next === null ? whole : null),
    first: after === null ? null : to({}),
    previous:
      after === null
        ? null
        : before === ''
          ? to({})
          : to({ after: before, from: previousFrom, back: back.slice(0, -1).join(',') }),
    next:
      next === null
        ? null
        : to({
            after: next,
            from: String(from + items.length),
            back: joined([...back, after ?? '']),
          }),
  };
};

const joined = (back: readonly string[]): string => {
  const kept = back.slice(-mostBack);
  while (kept.join(',').length > longestBack) kept.shift();
  return kept.join(',');
};

/** Filters as they were sent. */
export type Sent = readonly (readonly [name: string, values: readonly string[]])[];

/** The address of a list with what was sent and more; what is empty is left out. */
export const addressOf = (here: string, sent: Sent, more: Readonly<Record<string, string>>): string => {
  const filters = sent
    .map(([name, values]): readonly [string, string] => [name, values[0] ?? ''])
    .filter(([name]) => !(name in more));
  const given = [...filters, ...Object.entries(more)].filter(([, value]) => value !== '');
  return given.length === 0
    ? here
    : `${here}?${new URLSearchParams(given.map(([...pair]) => pair)).toString()}`;
};

/** Pages begin with the newest; programs, which go on where they were, with the oldest. */
export const usualSort = (about: Entity): string | null => {
  const orders = ordersOf(about);
  return orders.find((order) => /^-.*_at$/.test(order)) ?? orders[0] ?? null;
};

const ordersOf = (about: Entity): readonly string[] =>
  fieldsOf(about.filters).find(({ name }) => name === 'sort')?.values ?? [];

export const sortingFor = (reader: Reader, about: Entity, here: string, sent: Sent): Sorting => {
  const given = sent.find(([name]) => name === 'sort')?.[1][0] ?? '';
  const current = given === '' ? (usualSort(about) ?? '') : given;
  return sortingOf(reader, ordersOf(about), current, (sort) => addressOf(here, sent, { sort }));
};
