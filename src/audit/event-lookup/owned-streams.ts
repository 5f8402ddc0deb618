import { comparePositions } from '../../eventstore/event-store.ts';
import type { KnownStream, OwnedCategory } from '../../projections/kernel/streams-by-owner.ts';
import { streamsOf, unlessInterrupted, type EventLookupDependencies, type Range } from './dependencies.ts';

/** The streams of an organization in these categories by their first events: from the index, and for newer events from the log. */
export const ownedStreams = async (
  { log, streams }: Pick<EventLookupDependencies, 'log' | 'streams'>,
  ownerId: string,
  categories: readonly OwnedCategory[],
  range: Range,
): Promise<readonly KnownStream[]> => {
  const { until, time, signal } = range;
  const after = await streams.checkpoint();
  const known = (await streams.streams(ownerId, categories)).filter(
    ({ first }) => comparePositions(first, until) <= 0,
  );
  if (after && comparePositions(after, until) >= 0) return known;
  const names = new Set(known.map(({ stream }) => stream));
  const only = streamsOf(ownerId, categories);
  const newer: KnownStream[] = [];
  for await (const { stream, position, created } of log.readLog({ after, until, only, signal })) {
    if (time !== undefined && created > time) break;
    if (names.has(stream)) continue;
    names.add(stream);
    newer.push({ stream, first: position });
  }
  unlessInterrupted(range);
  return [...known, ...newer];
};
