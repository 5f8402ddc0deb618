type Waiting<K, V> = {
  readonly key: K;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
};

/** Keys of one turn of the event loop are loaded together, `atMost` a call; `answerAll` answers in their order. */
export const makeBatchLoader = <K, V>(
  answerAll: (keys: readonly K[]) => Promise<readonly V[]>,
  atMost: number,
): ((key: K) => Promise<V>) => {
  let waiting: Waiting<K, V>[] = [];
  const flush = async (batch: readonly Waiting<K, V>[]): Promise<void> => {
    try {
      const values = await answerAll(batch.map(({ key }) => key));
      batch.forEach(({ resolve }, index) => resolve(values[index] as V));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const flushAll = (): void => {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += atMost) void flush(all.slice(from, from + atMost));
  };
  return (key) =>
    new Promise((resolve, reject) => {
      // setImmediate runs after all sockets of this turn were read: their requests share the call.
      if (waiting.length === 0) setImmediate(flushAll);
      waiting.push({ key, resolve, reject });
    });
};
