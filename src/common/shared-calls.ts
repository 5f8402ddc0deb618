type Calls<V> = {
  readonly underWay: Promise<V>;
  /** Begins when the one under way has ended, whatever its outcome. */
  next: Promise<V> | null;
};

/**
 * Calls with the same key share work: while one is under way, all later ones wait for a single one after it. So the work
 * that answers a call always begins after the call, as if the call had done it alone: nothing that was true before the
 * call is missed. Not for work that changes something.
 */
export const makeSharedCalls = <V>(work: (key: string) => Promise<V>): ((key: string) => Promise<V>) => {
  const calls = new Map<string, Calls<V>>();
  const begin = (key: string): Promise<V> => {
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
