import { breakGlass } from '../../domain/kernel/actor.ts';
import type { EventMetadata, EventStore } from '../../eventstore/event-store.ts';
import type { Acting } from './context.ts';

/** The same store, whose events name the actor where they would say `break-glass` or nothing (HI-06). `acting` null leaves them. */
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
  actor === undefined || actor === breakGlass;

export const namedBy = ({ actor, tokenId }: Acting): EventMetadata => ({
  actor,
  ...(tokenId !== null && { tokenId }),
});
