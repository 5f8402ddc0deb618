import { statement } from '../../../common/transaction.ts';
import { fenceSubjectsOf, judgeFence } from '../../../domain/fence/fence.ts';
import type { PipelinedReader, Named } from '../../database/pipelined-reader.ts';
import { toFenceRow, type StoredFenceRow, fenceRows } from '../../fence/fence-statement.ts';
import type {
  ChangePlace,
  ChangesAnswer,
  ChangesRequest,
  ListPlace,
  ListReader,
  ListRequest,
  ListAnswer,
  ListItem,
  ListPosition,
} from '../../read-models.ts';
import { usualFanOut } from '../write/counting.ts';
import type { ListName } from '../write/operations.ts';
import { changesStatement, stateOf, upTo } from './changes.ts';
import { organizationsItems, organizationsList } from './organizations-list.ts';
import type { ListWay, ListKind } from './parts.ts';
import { staleOf } from './stale.ts';
import { usersItems, usersList } from './users-list.ts';

type Row<T> = ItemsRow<T> & {
  readonly fence: readonly StoredFenceRow[] | null;
  readonly version: string;
  readonly unchanged: boolean;
  readonly stale: boolean;
};

/** The reader of one of the lists, over the tables of 0011-lists-by-ordinal.sql. */
export const makeListReader = <T extends object>(reader: PipelinedReader, list: ListName): ListReader<T> => {
  const statements = {
    organization: {
      start: listStatement(list, 'organization', 'start'),
      page: listStatement(list, 'organization', 'page'),
      after: listStatement(list, 'organization', 'after'),
      before: listStatement(list, 'organization', 'before'),
    },
    user: {
      page: listStatement(list, 'user', 'page'),
      after: listStatement(list, 'user', 'after'),
      before: listStatement(list, 'user', 'before'),
    },
  };

  const changes = {
    organization: {
      forward: changesStatement(list, 'organization', 'forward'),
      back: changesStatement(list, 'organization', 'back'),
    },
    user: {
      forward: changesStatement(list, 'user', 'forward'),
      back: changesStatement(list, 'user', 'back'),
    },
  };

  const ask = ({ guarded, perPage, place, unless = [] }: ListRequest): Promise<readonly Row<T>[]> => {
    const { subject, addonId } = guarded;
    const common = (id: string) => [fenceSubjectsOf(guarded), id, perPage, unless];
    if (subject.kind === 'user')
      return reader.query<Row<T>>(statements.user[place.by], [
        ...common(subject.userId),
        addonId,
        ...(place.by === 'page' ? [] : [place.position.organizationId]),
        ...valuesOf(place, perPage),
      ]);
    return reader.query<Row<T>>(statements.organization[wayTo(place, perPage)], [
      ...common(subject.organizationId),
      ...valuesOf(place, perPage),
    ]);
  };

  return {
    async page(request) {
      const [row] = await ask(request);
      if (!row) throw new Error('A page is one row');
      const refused = judgeFence(request.guarded, (row.fence ?? []).map(toFenceRow));
      if (refused) return { refused };
      const { version, stale } = row;
      if (row.unchanged) return { refused, version, stale, unchanged: true };
      return { refused, version, stale, unchanged: false, ...answerOf(request, row) };
    },
    async changes(request) {
      const { guarded, perPage, origin, place } = request;
      const { subject, addonId } = guarded;
      const from = place.by === 'page' ? origin.place : place.position;
      const [row] = await reader.query<ChangesRow<T>>(
        changes[subject.kind][place.by === 'before' ? 'back' : 'forward'],
        [
          fenceSubjectsOf(guarded),
          subject.kind === 'user' ? subject.userId : subject.organizationId,
          perPage,
          ...[from, origin.place].flatMap((one) => [one.position, one.organizationId, one.ordinal]),
          ...(place.by === 'before'
            ? []
            : [place.by === 'page' ? offsetOf(place.page, perPage) : 0, place.by === 'page']),
          ...(subject.kind === 'user' ? [addonId] : []),
        ],
      );
      if (!row) throw new Error('A page is one row');
      const refused = judgeFence(guarded, (row.fence ?? []).map(toFenceRow));
      return refused ? { refused } : { refused, ...changesOf(request, row) };
    },
  };
};

const offsetOf = (page: number, perPage: number): number => (page - 1) * perPage;

const valuesOf = (place: ListPlace, perPage: number): readonly unknown[] =>
  place.by === 'page' ? [offsetOf(place.page, perPage)] : [place.position.ordinal, place.bound];

type ChangesRow<T> = {
  readonly fence: readonly StoredFenceRow[] | null;
  readonly stale: boolean;
  readonly up_to: string;
  readonly known_from: string;
  readonly copied_at: string;
  readonly state: string;
  readonly settled: boolean;
  readonly other: boolean;
  readonly total: string | null;
  /** The arrays belong together, the nearest change first. */
  readonly items: (ListItem<T> | null)[] | null;
  readonly created: (string | null)[] | null;
  readonly ids: string[] | null;
  readonly removed: (number | null)[] | null;
  readonly positions: string[] | null;
  readonly organizations: string[] | null;
  readonly ordinals: number[] | null;
};

const changesOf = <T>({ perPage, origin, place }: ChangesRequest, row: ChangesRow<T>): ChangesAnswer<T> => {
  const { stale } = row;
  const isKnown =
    BigInt(row.state) === origin.state &&
    origin.place.position > BigInt(row.known_from) &&
    origin.issuedAt > Number(row.copied_at);
  if (!isKnown) return { stale, isKnown };
  const all = (row.items ?? []).map((item, i) => {
    const [organizationId = '', removedAt = null] = [row.organizations?.[i], row.removed?.[i]];
    const at = { organizationId, ordinal: row.ordinals?.[i] ?? 0, position: BigInt(row.positions?.[i] ?? 0) };
    const createdAt = row.created?.[i] ?? '';
    return item === null || removedAt !== null
      ? { at, item: { id: row.ids?.[i] ?? '', organizationId, removedAt: removedAt ?? 0 } }
      : { at, item: { ...item, createdAt } };
  });
  const more = all.length > perPage;
  const shown = all.slice(0, perPage);
  if (place.by === 'before') shown.reverse();
  const [first, last] = [shown.at(0)?.at ?? null, shown.at(-1)?.at ?? null];
  const hasBefore =
    place.by === 'before' ? more : place.by === 'page' ? place.page > 1 && !!first : row.other;
  const hasAfter = place.by === 'before' ? row.other : more;
  const asked = place.by === 'after' ? place.position : origin.place;
  const isAtEnd =
    row.settled &&
    !hasAfter &&
    (last !== null || place.by === 'after' || (place.by === 'page' && place.page === 1));
  return {
    stale,
    isKnown,
    items: shown.map(({ item }) => item),
    totalItems: place.by === 'page' ? Number(row.total) : place.total,
    first,
    last,
    hasBefore,
    hasAfter,
    next: isAtEnd ? behind(row.up_to) : (last ?? asked),
  };
};

/** Behind all that has been applied: every later event has a greater position. */
const behind = (position: string): ChangePlace => ({
  position: BigInt(position) + 1n,
  organizationId: '',
  ordinal: -1,
});

/** Skipping fewer records than a block holds costs less than searching the blocks, and reads no more rows. */
const wayTo = (place: ListPlace, perPage: number): ListWay =>
  place.by === 'page' && offsetOf(place.page, perPage) < usualFanOut ? 'start' : place.by;

/**
 * A response's only statement: one snapshot (RS-02), one round trip. $1 fence subjects, $2 organization or user, $3 items a page,
 * $4 versions without items, for a user $5 the add-on, then the place: an offset; or a position (with its organization) and a bound.
 */
const listStatement = (list: ListName, kind: ListKind, way: ListWay): Named => {
  const [state, items] =
    kind === 'organization'
      ? [organizationsList(list), organizationsItems(list, way)]
      : [usersList(list), usersItems(list, way)];
  const sync = isByNumber(way)
    ? `case when not list.held then ${upTo} end as up_to, case when not list.held then ${stateOf(list, kind, 'owned')} end as state, `
    : '';
  return statement(`list-${list}-${kind}-${way}`)`
    ${state}
    select ${sync}list.total, list.changed, list.version, list.held as unchanged, ${staleOf(list, kind)} as stale, page.*,
           (select json_agg(row) from (${fenceRows}) as row)
             as fence
    from list ${items}`;
};

const isByNumber = (way: ListWay): boolean => way === 'start' || way === 'page';

/** What the statement returns about the items. The arrays belong together, the nearest record first. */
type ItemsRow<T> = {
  readonly total: string;
  readonly changed: string;
  /** Without `createdAt`. */
  readonly items: ListItem<T>[] | null;
  readonly created: string[] | null;
  readonly ordinals: number[] | null;
  /** Only for a user's list. */
  readonly organizations?: string[] | null;
  /** Not for a page by number: whether there is a record on the other side of the nearest item. */
  readonly other?: boolean | null;
  /** Only for a page by number. */
  readonly up_to?: string | null;
  readonly state?: string | null;
};

type Items<T> = Omit<Extract<ListAnswer<T>, { unchanged: false }>, 'version' | 'stale' | 'unchanged'>;

/** Combines the arrays in place: a copy of each item would cost as much as reading it did. */
const answerOf = <T>({ guarded, perPage, place }: ListRequest, row: ItemsRow<T>): Items<T> => {
  const { items, created, ordinals, organizations } = row;
  const total = Number(row.total);
  const listed = items ?? [];
  const more = listed.length > perPage;
  for (const array of [items, created, ordinals, organizations]) {
    if (more) array?.pop();
    if (place.by === 'before') array?.reverse();
  }
  listed.forEach((item, i) => Object.assign(item, { createdAt: created?.[i] }));

  const positionOf = (index: number): ListPosition | null => {
    const { subject } = guarded;
    const organizationId =
      subject.kind === 'organization' ? subject.organizationId : organizations?.at(index);
    const ordinal = ordinals?.at(index);
    return organizationId === undefined || ordinal === undefined ? null : { organizationId, ordinal };
  };
  const sides = (): { readonly hasBefore: boolean; readonly hasAfter: boolean } => {
    const other = row.other ?? false;
    if (place.by === 'after') return { hasBefore: other, hasAfter: more };
    if (place.by === 'before') return { hasBefore: more, hasAfter: other };
    const offset = (place.page - 1) * perPage;
    return { hasBefore: offset > 0 && listed.length > 0, hasAfter: total > offset + listed.length };
  };
  return {
    items: listed,
    totalItems: total,
    first: positionOf(0),
    last: positionOf(-1),
    ...sides(),
    bound: place.by === 'page' ? BigInt(row.changed) : place.bound,
    sync: place.by === 'page' ? { place: behind(row.up_to ?? '0'), state: BigInt(row.state ?? 0) } : null,
  };
};
