import { LRUCache } from 'lru-cache';
import { growing } from '../../common/growing.ts';
import pMap from 'p-map';
import type { EventStore, RecordedEvent } from '../../eventstore/event-store.ts';
import { grantStream } from '../../domain/streams.ts';
import { grantIdOf, needsOwner, ownerFrom, type GrantOwner } from '../contract/identity.ts';

/** The grant owner for each event of a batch, by index; null where `toMessage` needs none. */
export type OwnersOf = (events: readonly RecordedEvent[]) => Promise<readonly (GrantOwner | null)[]>;

export type GrantOwnersDependencies = {
  /** Reads the read models, which may be behind, with one statement for all ids. */
  readonly find: (grantIds: readonly string[]) => Promise<ReadonlyMap<string, GrantOwner>>;
  readonly store: Pick<EventStore, 'read'>;
  /** How many owners are cached; one takes about 300 bytes. */
  readonly most?: number;
};

/**
 * A grant's owner never changes, so any source is correct: first the cache, then the read models, then the grant's
 * stream, which is never behind. @throws errors of the log, and when a grant's stream does not begin with its owner
 */
export const makeGrantOwners = ({ find, store, most = 20_000 }: GrantOwnersDependencies): OwnersOf => {
  const recent = new LRUCache<string, GrantOwner>(growing(most));

  const askAround = async (missing: ReadonlySet<string>): Promise<ReadonlyMap<string, GrantOwner>> => {
    const asked = [...missing];
    const found = new Map(await find(asked).catch(() => new Map<string, GrantOwner>()));
    const unknown = asked.filter((grantId) => !found.has(grantId));
    const read = async (grantId: string) => found.set(grantId, await ownerInStream(store, grantId));
    await pMap(unknown, read, { concurrency: readsAtOnce });
    return found;
  };

  return async (events) => {
    /** Owners of this batch, which may have more grants than the cache holds. */
    const known = new Map<string, GrantOwner>();
    const missing = new Set<string>();
    for (const event of events) {
      const grantId = grantIdOf(event.stream);
      if (grantId === null || known.has(grantId) || missing.has(grantId)) continue;
      const owner = ownerFrom(event) ?? recent.get(grantId);
      if (owner) known.set(grantId, owner);
      else missing.add(grantId);
    }
    if (missing.size > 0) for (const [grantId, owner] of await askAround(missing)) known.set(grantId, owner);
    for (const [grantId, owner] of known) recent.set(grantId, owner);
    return events.map((event) =>
      needsOwner(event) ? (known.get(grantIdOf(event.stream) ?? '') ?? null) : null,
    );
  };
};

const readsAtOnce = 16;

const ownerInStream = async (
  store: GrantOwnersDependencies['store'],
  grantId: string,
): Promise<GrantOwner> => {
  const { events } = await store.read(grantStream(grantId));
  const owner = events[0] ? ownerFrom(events[0]) : null;
  if (!owner) throw new Error(`the stream of the grant ${grantId} does not begin with its owner`);
  return owner;
};
