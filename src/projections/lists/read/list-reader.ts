import { statement } from '../../../common/transaction.ts';
import { fenceSubjectsOf, judgeFence } from '../../../domain/fence/fence.ts';
import type { PipelinedReader, Named } from '../../database/pipelined-reader.ts';
import { toFenceRow, type StoredFenceRow, fenceRows } from '../../fence/fence-statement.ts';
import type {
  ListPlace,
  ListReader,
  ListRequest,
  ListAnswer,
  ListItem,
  ListPosition,
} from '../../read-models.ts';
import { usualFanOut } from '../write/counting.ts';
import type { ListName } from '../write/operations.ts';
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
  };
};

const offsetOf = (page: number, perPage: number): number => (page - 1) * perPage;

const valuesOf = (place: ListPlace, perPage: number): readonly unknown[] =>
  place.by === 'page' ? [offsetOf(place.page, perPage)] : [place.position.ordinal, place.bound];

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
  return statement(`list-${list}-${kind}-${way}`)`
    ${state}
    select list.total, list.changed, list.version, list.held as unchanged, ${staleOf(list, kind)} as stale, page.*,
           (select json_agg(row) from (${fenceRows}) as row)
             as fence
    from list ${items}`;
};

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
  };
};
