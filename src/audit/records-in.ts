import type { EventType } from '../domain/events.ts';
import type { StoredEvent } from '../eventstore/event-store.ts';
import { linkAbort } from '../eventstore/linked-abort.ts';
import type { FromPlace } from '../projections/read-history.ts';
import type { Found } from './entries.ts';
import { readEvent, type EventNeeds } from './read-events.ts';
import type { TimelineRequest } from './timeline.ts';

/** Where an organization's records are in the log. */
export const recordStreams = (organizationId: string) =>
  ['profile', 'reservation', 'accessRight'].map((category) => ({ prefix: `${category}-${organizationId}.` }));

/**
 * One more than the page holds of an organization's record events, the nearest first. They are in no index: the server looks
 * for them in the log, which is read to the end of what is asked for, and no further.
 */
export const recordsIn = async (
  { log, decode }: EventNeeds,
  { about, limit, filters = {} }: TimelineRequest,
  from: FromPlace,
  signal: AbortSignal,
): Promise<readonly Found[]> => {
  if (about.kind !== 'organization') return [];
  const leaving = linkAbort(signal);
  const events = log.readLog({
    after: from.order === 'forward' ? from.after : null,
    ...(from.order === 'backward' && from.before && { until: from.before }),
    only: { streams: recordStreams(about.id) },
    signal: leaving.signal,
  });
  const kept: StoredEvent[] = [];
  try {
    for await (const event of events) {
      if (!matches(event, filters) || isAt(event, from)) continue;
      kept.push(event);
      if (kept.length <= limit) continue;
      if (from.order === 'forward') break;
      if (kept.length > limit + 1) kept.shift();
    }
  } finally {
    leaving.abort();
    leaving.unlink();
  }
  signal.throwIfAborted();
  const nearestFirst = from.order === 'forward' ? kept : kept.toReversed();
  return Promise.all(
    nearestFirst.map(async (stored) => ({ ...(await readEvent(decode, stored)), owner: null })),
  );
};

/** `until` includes it; a page ends before. */
const isAt = ({ position }: StoredEvent, from: FromPlace): boolean =>
  from.order === 'backward' &&
  position.commit === from.before?.commit &&
  position.prepare === from.before.prepare;

const matches = (
  { type, created, metadata }: StoredEvent,
  { eventTypes, actor, from, to }: NonNullable<TimelineRequest['filters']>,
): boolean =>
  (eventTypes === undefined || eventTypes.includes(type as EventType)) &&
  (actor === undefined || (metadata as { readonly actor?: unknown } | null)?.actor === actor) &&
  (from === undefined || created >= from) &&
  (to === undefined || created <= to);
