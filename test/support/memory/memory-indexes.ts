import type { EventLookupDependencies } from '../../../src/audit/event-lookup/dependencies.ts';
import type { About, Owner } from '../../../src/domain/event-subjects.ts';
import { type EventType, subjectsOf, ownerIn } from '../../../src/domain/events.ts';
import { comparePositions, type RecordedEvent } from '../../../src/eventstore/event-store.ts';
import type { HistoryReader, Reference } from '../../../src/projections/history/read-history.ts';
import { isOfCategory } from '../../../src/domain/kernel/stream-name.ts';
import {
  ownedPlaceIn,
  ownerChangeIn,
  type KnownStream,
  type OwnerChange,
  type StreamsByOwner,
} from '../../../src/projections/kernel/streams-by-owner.ts';
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
    ownGrants: (userIds, { addonId, to = Infinity }) =>
      Promise.resolve(
        referred.flatMap(({ reference, created }) => {
          const { owner, type } = reference;
          const isWanted =
            type === 'AuthorizationCodeIssued' &&
            owner?.organizationId === null &&
            userIds.includes(owner.userId ?? '') &&
            (addonId === undefined || owner.addonId === addonId);
          return isWanted && created <= to ? [reference] : [];
        }),
      ),
    acted: () => Promise.reject(new Error('not asked for here')),
    checkpoint: () => Promise.resolve(events.at(-1)?.position ?? null),
    droppedMonths: () => Promise.resolve([]),
  };
};

const streamsOf = (events: readonly RecordedEvent[]): StreamsByOwner => {
  const seen = events.map((event) => ({ ...event, ...event.event }));
  const last = new Map<string, OwnerChange>();
  const changes = seen.flatMap((event) => {
    const change = ownerChangeIn(event);
    if (!change) return [];
    const before = last.get(change.stream);
    last.set(change.stream, change);
    return before?.present === change.present && before.owner === change.owner ? [] : [change];
  });
  const ofOrganization = (organizationId: string, categories: readonly string[]): readonly OwnerChange[] =>
    changes.filter(({ stream }) =>
      categories.some((category) => stream.startsWith(`${category}-${organizationId}.`)),
    );
  const places = (ownerId: string) =>
    seen.flatMap((event) => {
      const found = ownedPlaceIn(event);
      return found?.owner === ownerId ? [{ ...found, event }] : [];
    });
  return {
    streams: (ownerId, categories) => {
      const found = new Map<string, KnownStream>();
      const known = [
        ...places(ownerId).map(({ place: stream, first }) => ({ stream, first })),
        ...ofOrganization(ownerId, categories).map(({ stream, position: first }) => ({ stream, first })),
      ];
      for (const one of known)
        if (categories.some((category) => isOfCategory(one.stream, category)) && !found.has(one.stream))
          found.set(one.stream, one);
      return Promise.resolve([...found.values()].toSorted((a, b) => comparePositions(a.first, b.first)));
    },
    ownerChanges: (organizationId, categories, after, limit) =>
      Promise.resolve(
        ofOrganization(organizationId, categories)
          .filter(({ position }) => after === null || comparePositions(position, after) > 0)
          .slice(0, limit),
      ),
    everyOwner: (organizationId, category, until) => {
      const found = ofOrganization(organizationId, [category]).filter(
        ({ position, created }) => comparePositions(position, until.position) <= 0 && created <= until.time,
      );
      return Promise.resolve([...new Set(found.flatMap(({ owner }) => owner ?? []))]);
    },
    questions: (organizationId) =>
      Promise.resolve(
        places(organizationId).flatMap(({ event }) => (isOfCategory(event.stream, 'audit') ? [event] : [])),
      ),
    checkpoint: () => Promise.resolve(events.at(-1)?.position ?? null),
  };
};
