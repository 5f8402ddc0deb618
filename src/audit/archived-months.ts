import { comparePositions, type Position } from '../eventstore/event-store.ts';
import type { ArchivedMonth, FromPlace } from '../projections/history/read-history.ts';
import type { Found } from './timeline/entries.ts';
import type { TimelineRequest } from './timeline/timeline.ts';

type Read = {
  readonly from: FromPlace;
  /** Whether the page ends before the result does. */
  readonly more: boolean;
  readonly nearestFirst: readonly Found[];
};

/** The archived months, from the oldest, that lie within the requested times and between the two ends of a page. */
export const monthsWithin = (
  archived: readonly ArchivedMonth[],
  { filters = {} }: TimelineRequest,
  { from, more, nearestFirst }: Read,
): readonly string[] => {
  const furthest = more ? (nearestFirst.at(-1)?.stored.position ?? null) : null;
  const [after, before] = from.order === 'forward' ? [from.after, furthest] : [furthest, from.before];
  return archived
    .filter(({ bounds: [begin, end], first, last }) => {
      const inTime = (filters.to === undefined || begin <= filters.to) && (filters.from ?? 0) < end;
      return inTime && first !== null && isBefore(after, last) && isBefore(first, before);
    })
    .map(({ month }) => month);
};

/** Without an end, nothing comes after it. */
const isBefore = (a: Position | null, b: Position | null): boolean =>
  a === null || b === null || comparePositions(a, b) < 0;
