import type { ListAnswer, ListItem, ListPosition, ListRequest } from '../../read-models.ts';

/** What the statement returns about the items. The arrays belong together, the nearest record first. */
export type ItemsRow<T> = {
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
export const answerOf = <T>({ guarded, perPage, place }: ListRequest, row: ItemsRow<T>): Items<T> => {
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
