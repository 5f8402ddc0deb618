type Calls<V> = {
  readonly underWay: Promise<V>;
  /** Begins when the one under way has ended, whatever its outcome. */
  next: Promise<V> | null;
};

/** Calls with the same key share work, but only work that began after the call: nothing true before is missed. Not for changes. */
export const makeSharedCalls = <V, K extends string = string>(
  work: (key: K) => Promise<V>,
): ((key: K) => Promise<V>) => {
  const calls = new Map<K, Calls<V>>();
  const begin = (key: K): Promise<V> => {
    const own: Calls<V> = { underWay: work(key), next: null };
    calls.set(key, own);
    const end = () => void (own.next === null && calls.delete(key));
    own.underWay.then(end, end);
    return own.underWay;
  };
  return (key) => {
    const present = calls.get(key);
    if (!present) return begin(key);
    const beginNext = () => begin(key);
    return (present.next ??= present.underWay.then(beginNext, beginNext));
  };
};
