import { LRUCache } from 'lru-cache';

/** A key that was looked up: null when it was destroyed, or when it is `lost`: neither there nor destroyed. */
export type KnownKey = {
  readonly keyId: string;
  readonly key: Uint8Array | null;
  readonly lost?: true;
};

/** What was looked up lately, for a while: a destroyed key must not live on in a process that never hears of it. */
export type KeyCache = {
  get(name: string): KnownKey | undefined;
  set(name: string, known: KnownKey): void;
  delete(name: string): void;
  clear(): void;
};

export const makeKeyCache = (most: number, lifeMs: number, now: () => number): KeyCache => {
  const kept = new LRUCache<string, { readonly known: KnownKey; readonly until: number }>({ max: most });
  return {
    get(name) {
      const found = kept.get(name);
      if (!found) return undefined;
      if (now() < found.until) return found.known;
      kept.delete(name);
      return undefined;
    },
    set: (name, known) => void kept.set(name, { known, until: now() + lifeMs }),
    delete: (name) => void kept.delete(name),
    clear: () => kept.clear(),
  };
};
