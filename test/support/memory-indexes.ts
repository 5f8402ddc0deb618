import type { EventLookupDependencies } from '../../src/audit/event-lookup/dependencies.ts';
import { subjectsOf, ownerIn, type About, type Owner } from '../../src/domain/event-subjects.ts';
import type { EventType } from '../../src/domain/events.ts';
import { comparePositions, type RecordedEvent } from '../../src/eventstore/event-store.ts';
import type { HistoryReader, Reference } from '../../src/projections/read-history.ts';
import {
  ownedPlaceIn,
  type KnownStream,
  type StreamsByOwner,
} from '../../src/projections/streams-by-owner.ts';
import { memoryStore } from './memory-store.ts';

/** How many events each index contains. */
type Known = { readonly history: number; readonly streams: number };

/** The indexes for audit queries over these events, each as far behind as given. */
export const memoryIndexes = (events: readonly RecordedEvent[], known: Known): EventLookupDependencies => ({
  log: memoryStore({}, events),
  history: historyOf(events.slice(0, known.history)),
  streams: streamsOf(events.slice(0, known.streams)),
});

const streamIdOf = ({ stream }: RecordedEvent): string => stream.slice(stream.indexOf('-') + 1);

const historyOf = (events: readonly RecordedEvent[]): HistoryReader => {
  const owners = new Map<string, Owner>();
  const referred = events.map(
    (
      event,
    ): { readonly abouts: readonly About[]; readonly reference: Reference; readonly created: number } => {
      const begun = ownerIn(event.event);
      if (begun) owners.set(event.stream, begun);
      const owner = owners.get(event.stream) ?? null;
      const { position, stream, revision, created } = event;
      return {
        abouts: subjectsOf(event.event, { streamId: streamIdOf(event), owner }),
        reference: { position, stream, revision, type: event.event.type as EventType, owner },
        created,
      };
    },
  );
  return {
    references: async (about, from, limit, { eventTypes, concerning = [], to = Infinity } = {}) => {
      await Promise.resolve();
      const after = from.order === 'forward' ? from.after : null;
      return referred
        .filter(({ abouts, reference, created }) => {
          const names = ({ kind, id }: About) => abouts.some((one) => one.kind === kind && one.id === id);
          const isLater = after === null || comparePositions(reference.position, after) > 0;
          return (
            isLater &&
            created <= to &&
            [about, ...concerning].every(names) &&
            (eventTypes?.some((type) => type === reference.type) ?? true)
          );
        })
        .map(({ reference }) => reference)
        .slice(0, limit);
    },
    acted: () => Promise.reject(new Error('not asked for here')),
    checkpoint: () => Promise.resolve(events.at(-1)?.position ?? null),
    archivedMonths: () => Promise.resolve([]),
  };
};

const streamsOf = (events: readonly RecordedEvent[]): StreamsByOwner => {
  const places = (ownerId: string) =>
    events.flatMap((event) => {
      const found = ownedPlaceIn({ ...event, data: event.event.data });
      return found?.owner === ownerId ? [{ ...found, event }] : [];
    });
  return {
    streams: (ownerId, categories) => {
      const found = new Map<string, KnownStream>();
      for (const { place: stream, first } of places(ownerId))
        if (categories.some((category) => stream.startsWith(`${category}-`)) && !found.has(stream))
          found.set(stream, { stream, first });
      return Promise.resolve([...found.values()]);
    },
    questions: (organizationId) =>
      Promise.resolve(
        places(organizationId).flatMap(({ event }) => (event.stream.startsWith('audit-') ? [event] : [])),
      ),
    checkpoint: () => Promise.resolve(events.at(-1)?.position ?? null),
  };
};
