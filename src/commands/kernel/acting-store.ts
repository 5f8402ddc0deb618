import { breakGlass } from '../../domain/kernel/actor.ts';
import type { EventMetadata, EventStore } from '../../eventstore/event-store.ts';
import type { Acting } from './context.ts';

/**
 * The same store, but its events name the actor where they would otherwise say `operator` or nothing (HI-06). Other
 * actors in an event, an add-on or Grantbook itself, stay.
 * @param acting called at each append that has such an event; null leaves the events as they are
 */
export const actingStore = <Store extends EventStore>(store: Store, acting: () => Acting | null): Store => ({
  ...store,
  append: (stream, expected, events) => {
    const who = events.some(({ metadata }) => isToBeNamed(metadata)) ? acting() : null;
    if (who === null) return store.append(stream, expected, events);
    const named = events.map((event) =>
      isToBeNamed(event.metadata) ? { ...event, metadata: { ...event.metadata, ...namedBy(who) } } : event,
    );
    return store.append(stream, expected, named);
  },
});

/** An event that a command of an operator makes. */
export const isToBeNamed = ({ actor }: EventMetadata = {}): boolean =>
  actor === undefined || actor === 'operator' || actor === breakGlass;

export const namedBy = ({ actor, tokenId }: Acting): EventMetadata => ({
  actor,
  ...(tokenId !== null && { tokenId }),
});
