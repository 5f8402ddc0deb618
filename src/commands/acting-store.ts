import { breakGlass } from '../domain/actor.ts';
import type { EventMetadata, EventStore } from '../eventstore/event-store.ts';

/** Who acts, as the events say it: `actor` is a user id or `break-glass`, `tokenId` the administrator token that was used. */
export type Acting = { readonly actor: string; readonly tokenId: string | null };

/**
 * The same store, whose events name who acts where they would say `operator` or nothing (HI-06). Whoever else an event names, an
 * add-on or Grantbook itself, it goes on naming.
 * @param acting asked at each append that has such an event; null leaves the events as they are
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

const isToBeNamed = ({ actor }: EventMetadata = {}): boolean =>
  actor === undefined || actor === 'operator' || actor === breakGlass;

const namedBy = ({ actor, tokenId }: Acting): EventMetadata => ({
  actor,
  ...(tokenId !== null && { tokenId }),
});
