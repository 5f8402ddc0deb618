import type { Entry } from './lists-array.ts';

/** What an address stands for. The page number is what it is labelled with. */
export type Place =
  | { readonly by: 'page'; readonly page: number }
  | { readonly by: 'after'; readonly page: number; readonly entry: Entry; readonly bound: bigint }
  | { readonly by: 'before'; readonly page: number; readonly entry: Entry; readonly bound: bigint };

export type Page = {
  readonly place: Place;
  readonly entries: readonly Entry[];
  readonly total: number;
  readonly pages: number;
  readonly next: Place | null;
  readonly prev: Place | null;
  /** Up to which the walk goes that this page is of. */
  readonly bound: bigint;
};

/** Below nought when `one` stands ahead of `other`. */
export const compareEntries = (one: Entry, other: Entry): number =>
  one.organizationId === other.organizationId
    ? one.ordinal - other.ordinal
    : one.organizationId < other.organizationId
      ? -1
      : 1;

/** What the page must be, by the array as it is now. `newest` is where a walk ends that begins now. */
export const pageOf = (list: readonly Entry[], place: Place, perPage: number, newest: bigint): Page => {
  const bound = place.by === 'page' ? newest : place.bound;
  const entries = entriesAt(list, place, perPage);
  const [first, last] = [entries[0], entries.at(-1)];
  const pages = Math.ceil(list.length / perPage);
  const about = { place, entries, bound, pages, total: list.length };
  if (!first || !last) {
    // A walk that has come to nothing is over; from its end, as from past the last page, one comes back by number.
    const back = Math.min(place.page - 1, pages);
    return {
      ...about,
      next: null,
      prev: back >= 1 && place.by !== 'before' ? { by: 'page', page: back } : null,
    };
  }
  const isBehind = (entry: Entry) => compareEntries(entry, last) > 0 && entry.entered <= bound;
  const hasAfter = list.some(isBehind);
  const hasBefore = list.some((entry) => compareEntries(entry, first) < 0);
  return {
    ...about,
    next: hasAfter ? { by: 'after', page: place.page + 1, entry: last, bound } : null,
    prev: hasBefore ? { by: 'before', page: Math.max(1, place.page - 1), entry: first, bound } : null,
  };
};

const entriesAt = (list: readonly Entry[], place: Place, perPage: number): readonly Entry[] => {
  switch (place.by) {
    case 'page':
      return list.slice((place.page - 1) * perPage, place.page * perPage);
    case 'after':
      return list
        .filter((entry) => compareEntries(entry, place.entry) > 0 && entry.entered <= place.bound)
        .slice(0, perPage);
    case 'before':
      return list.filter((entry) => compareEntries(entry, place.entry) < 0).slice(-perPage);
  }
};
