import { LRUCache } from 'lru-cache';
import { growing } from '../common/growing.ts';

/** A key that was looked up: null when it was deleted, or when it is `lost`: missing but not deleted. */
export type KnownKey = {
  readonly keyId: string;
  readonly key: Uint8Array | null;
  readonly lost?: true;
};

/** Recent lookups, for a limited time: a deleted key must not stay usable in a process that missed the deletion. */
export const makeKeyCache = (most: number, lifeMs: number, now: () => number) => {
  const kept = new LRUCache<string, { readonly known: KnownKey; readonly until: number }>(growing(most));
  return {
    get(name: string) {
      const found = kept.get(name);
      if (!found) return undefined;
      if (now() < found.until) return found.known;
      kept.delete(name);
      return undefined;
    },
    set: (name: string, known: KnownKey) => void kept.set(name, { known, until: now() + lifeMs }),
    delete: (name: string) => void kept.delete(name),
    clear: () => kept.clear(),
  };
};
