/** Between the subscription that reads ahead and the writer that takes what has come in meanwhile. */
export type BatchQueue<T> = {
  /** Something to wait for when it is full. */
  push(item: T): Promise<void> | null;
  /** Everything that waits, up to `max`, as soon as there is anything; empty after the end. @throws what `end` was given */
  take(max: number): Promise<readonly T[]>;
  /** Waits until so many can be taken, for `ms` at the most; not for what comes after the end or once `signal` is aborted. */
  gather(count: number, ms: number, signal: AbortSignal): Promise<void>;
  /** What was pushed before is still taken first. */
  end(error?: unknown): void;
};

export const makeBatchQueue = <T>(limit: number): BatchQueue<T> => {
  let items: T[] = [];
  let ended: { readonly error: unknown } | null = null;
  /** The taker is woken once so many wait. */
  let wanted = 1;
  let wakeTaker = () => {};
  let wakePusher = () => {};
  return {
    push(item) {
      items.push(item);
      if (items.length >= wanted) wakeTaker();
      if (items.length < limit || ended) return null;
      return new Promise((resolve) => (wakePusher = resolve));
    },
    async take(max) {
      if (items.length === 0 && !ended) await new Promise<void>((resolve) => (wakeTaker = resolve));
      if (items.length === 0 && ended?.error !== undefined) throw ended.error;
      const taken = items.slice(0, max);
      items = items.slice(max);
      if (items.length < limit) wakePusher();
      return taken;
    },
    async gather(count, ms, signal) {
      if (ms <= 0 || items.length >= count || ended || signal.aborted) return;
      wanted = count;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => wakeTaker(), ms);
        const wake = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        wakeTaker = wake;
        signal.addEventListener('abort', wake);
      });
      wanted = 1;
    },
    end(error) {
      ended ??= { error };
      wakeTaker();
      wakePusher();
    },
  };
};
