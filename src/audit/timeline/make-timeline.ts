import type { About } from '../../domain/event-subjects.ts';
import { comparePositions, type Position } from '../../eventstore/event-store.ts';
import type { FromPlace, Reference, DroppedMonth } from '../../projections/history/read-history.ts';
import { grantBarsOf } from '../grant-bars.ts';
import { readEvents } from '../read-events.ts';
import { recordsIn } from '../records-in.ts';
import { entriesOf, named, type Found } from './entries.ts';
import { makeCauseOf } from './revocation-cause.ts';
import type { TimelineDependencies, Timeline, TimelinePage, TimelineRequest } from './timeline.ts';
import { readToldAt } from './notifications.ts';
import { makeSearchedIn } from './searched.ts';

/** Timelines from the references of the read model `history`; the events themselves are read from the log. */
export const makeTimeline = (dependencies: TimelineDependencies): Timeline => ({
  page: (request, signal) => readPage(dependencies, request, signal ?? new AbortController().signal),
  grantBars: (request) => grantBarsOf(dependencies, request),
  exists: async (about) => (await dependencies.log.readStored(streamOf(about), 0n, 1)).length > 0,
});

const streamOf = ({ kind, id }: About): string => `${kind === 'user' ? 'account' : kind}-${id}`;

const readPage = async (
  dependencies: TimelineDependencies,
  request: TimelineRequest,
  signal: AbortSignal,
): Promise<TimelinePage> => {
  const { about, limit, filters } = request;
  const from = placeOf(request);
  const upTo = await dependencies.history.checkpoint();
  const references = request.acted
    ? await dependencies.history.acted(about.id, from, limit + 1, filters)
    : await dependencies.history.references(about, from, limit + 1, filters);
  const found = await findAll(dependencies, references);
  const all = request.records
    ? nearest(from, [...found, ...(await recordsIn(dependencies, request, from, signal))])
    : found;
  const nearestFirst = all.slice(0, limit);
  const inOrder = from.order === 'forward' ? nearestFirst : nearestFirst.toReversed();
  const more = references.length > limit || all.length > limit;
  const toldAt = await readToldAt(
    dependencies.told,
    about,
    inOrder.map(({ stored }) => stored.position),
  );
  const causeOf = makeCauseOf(dependencies);
  const entries = await entriesOf({ names: dependencies.names, causeOf, toldAt }, inOrder);
  const dropped = monthsWithin(await dependencies.history.droppedMonths(), request, {
    more,
    from,
    nearestFirst,
  });
  const ends = { first: entries.at(0)?.position ?? null, last: entries.at(-1)?.position ?? null };
  return {
    about: named(about, await dependencies.names([about])),
    entries,
    earlier:
      from.order === 'backward'
        ? orNull(more, ends.first)
        : orNull(from.after !== null, ends.first ?? from.after),
    later:
      from.order === 'forward'
        ? orNull(more, ends.last)
        : orNull(from.before !== null, ends.last ?? from.before),
    upTo,
    dropped,
  };
};

const orNull = (there: boolean, position: Position | null): Position | null => (there ? position : null);

const placeOf = ({ after, before }: TimelineRequest): FromPlace =>
  before === undefined
    ? { order: 'forward', after: after ?? null }
    : { order: 'backward', before: before === 'end' ? null : before };

const findAll = async (
  dependencies: TimelineDependencies,
  references: readonly Reference[],
): Promise<readonly Found[]> => {
  const owners = new Map(references.map(({ stream, owner }) => [stream, owner]));
  const read = await readEvents(dependencies, references);
  const searchedIn = makeSearchedIn(dependencies.history);
  return Promise.all(
    read.map(async (event) => ({
      ...event,
      owner: owners.get(event.stored.stream) ?? null,
      searched: await searchedIn(event.recorded),
    })),
  );
};

const nearest = ({ order }: FromPlace, found: readonly Found[]): readonly Found[] =>
  found.toSorted(
    (a, b) => comparePositions(a.stored.position, b.stored.position) * (order === 'forward' ? 1 : -1),
  );

type Read = {
  readonly from: FromPlace;
  /** Whether the page ends before the result does. */
  readonly more: boolean;
  readonly nearestFirst: readonly Found[];
};

/** The dropped months, from the oldest, that lie within the requested times and between the two ends of a page. */
const monthsWithin = (
  dropped: readonly DroppedMonth[],
  { filters = {} }: TimelineRequest,
  { from, more, nearestFirst }: Read,
): readonly string[] => {
  const furthest = more ? (nearestFirst.at(-1)?.stored.position ?? null) : null;
  const [after, before] = from.order === 'forward' ? [from.after, furthest] : [furthest, from.before];
  return dropped
    .filter(({ bounds: [begin, end], first, last }) => {
      const inTime = (filters.to === undefined || begin <= filters.to) && (filters.from ?? 0) < end;
      return inTime && first !== null && isBefore(after, last) && isBefore(first, before);
    })
    .map(({ month }) => month);
};

/** Without an end, nothing comes after it. */
const isBefore = (a: Position | null, b: Position | null): boolean =>
  a === null || b === null || comparePositions(a, b) < 0;
