/** Keeps what was used last, `most` at the most. */
export type RecentlyUsed<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
};

export const makeRecentlyUsed = <V>(most: number): RecentlyUsed<V> => {
  const kept = new Map<string, V>(); // in the order of their last use
  const set = (key: string, value: V) => {
    kept.delete(key);
    kept.set(key, value);
    if (kept.size <= most) return;
    for (const oldest of kept.keys()) return void kept.delete(oldest);
  };
  return {
    set,
    get(key) {
      const value = kept.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
  };
};
