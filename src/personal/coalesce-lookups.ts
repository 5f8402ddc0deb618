type Waiting<V> = { readonly resolve: (value: V) => void; readonly reject: (error: unknown) => void };

/**
 * Looks up many keys with one call. While one call runs, further keys are collected; a key that is requested twice is
 * looked up once.
 * @param answerAll answers for each of the keys
 */
export const coalesceLookups = <V>(
  answerAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
  atMost: number,
): ((key: string) => Promise<V>) => {
  let waiting = new Map<string, Waiting<V>[]>();
  let running = false;
  const ask = async (batch: ReadonlyMap<string, readonly Waiting<V>[]>): Promise<void> => {
    try {
      const answers = await answerAll([...batch.keys()]);
      for (const [key, askers] of batch) for (const { resolve } of askers) resolve(answers.get(key) as V);
    } catch (error) {
      for (const askers of batch.values()) for (const { reject } of askers) reject(error);
    }
  };
  const run = async (): Promise<void> => {
    while (waiting.size > 0) {
      const batch = new Map([...waiting].slice(0, atMost));
      waiting = new Map([...waiting].slice(atMost));
      await ask(batch);
    }
    running = false;
  };
  return (key) =>
    new Promise((resolve, reject) => {
      const askers = waiting.get(key) ?? [];
      waiting.set(key, [...askers, { resolve, reject }]);
      if (running) return;
      running = true;
      // After all sockets of this turn were read: the keys of their requests share a call.
      setImmediate(() => void run());
    });
};
