import { recordCategories } from '../domain/records/each-record.ts';
import type { EventType } from '../domain/events.ts';
import { comparePositions, type StoredEvent } from '../eventstore/event-store.ts';
import type { FromPlace } from '../projections/history/read-history.ts';
import type { KnownStream } from '../projections/kernel/streams-by-owner.ts';
import type { EventLookupDependencies } from './event-lookup/dependencies.ts';
import { ownedStreams } from './event-lookup/owned-streams.ts';
import { eventsOfStreams } from './event-lookup/events-of-streams.ts';
import type { Found } from './timeline/entries.ts';
import { readEvent, type EventDependencies } from './read-events.ts';
import type { TimelineRequest } from './timeline/timeline.ts';

/** Record events of an organization for a page, the nearest first, and one more. Only streams are indexed, so all that may have one are read. */
export const recordsIn = async (
  dependencies: EventDependencies & Pick<EventLookupDependencies, 'log' | 'streams'>,
  { about, limit, filters = {} }: TimelineRequest,
  from: FromPlace,
  signal: AbortSignal,
): Promise<readonly Found[]> => {
  const head = about.kind === 'organization' ? await dependencies.log.head() : null;
  if (head === null) return [];
  const until = (from.order === 'backward' && from.before) || head;
  const range = { until, signal, time: filters.to };
  const streams = await ownedStreams(dependencies, about.id, recordCategories, range);
  let kept: readonly StoredEvent[] = [];
  for (let next = 0; next < streams.length; next += streamsAtOnce) {
    const some = streams.slice(next, next + streamsAtOnce);
    if (isFull(kept, limit) && isPast(kept, some[0], from)) break;
    const told = await eventsOfStreams(dependencies.log, namesOf(some), range);
    const wanted = told.filter((event) => isOnThisSide(event, from) && matches(event, filters));
    kept = nearestOf([...kept, ...wanted], from).slice(0, limit + 1);
  }
  return Promise.all(
    kept.map(async (stored) => ({ ...(await readEvent(dependencies.decode, stored)), owner: null })),
  );
};

const streamsAtOnce = 128;

const namesOf = (streams: readonly KnownStream[]): readonly string[] => streams.map(({ stream }) => stream);

const isFull = (kept: readonly StoredEvent[], limit: number): boolean => kept.length > limit;

/** Forward, a stream that begins after the last kept event has nothing nearer; streams come in the order of their first events. */
const isPast = (
  kept: readonly StoredEvent[],
  next: KnownStream | undefined,
  { order }: FromPlace,
): boolean => {
  const last = kept.at(-1);
  return order === 'forward' && !!last && !!next && comparePositions(next.first, last.position) > 0;
};

const isOnThisSide = ({ position }: StoredEvent, from: FromPlace): boolean =>
  from.order === 'forward'
    ? from.after === null || comparePositions(position, from.after) > 0
    : from.before === null || comparePositions(position, from.before) < 0;

const nearestOf = (events: readonly StoredEvent[], { order }: FromPlace): readonly StoredEvent[] =>
  events.toSorted((a, b) => comparePositions(a.position, b.position) * (order === 'forward' ? 1 : -1));

const matches = (
  { type, created, metadata }: StoredEvent,
  { eventTypes, actor, from, to }: NonNullable<TimelineRequest['filters']>,
): boolean =>
  (eventTypes === undefined || eventTypes.includes(type as EventType)) &&
  (actor === undefined || (metadata as { readonly actor?: unknown } | null)?.actor === actor) &&
  (from === undefined || created >= from) &&
  (to === undefined || created <= to);
