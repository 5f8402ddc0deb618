/** Connects the subscription, which reads ahead, with the writer, which takes what has arrived meanwhile. */
export type BatchQueue<T> = {
  /** When the queue is full, returns a promise to wait for. */
  push(item: T): Promise<void> | null;
  /** All waiting items, up to `max`, as soon as there is one; empty after the end. @throws the error given to `end` */
  take(max: number): Promise<readonly T[]>;
  /**
   * Waits until this many items are waiting, for `ms` at most. Returns early at the end, and once `signal` is aborted.
   */
  gather(count: number, ms: number, signal: AbortSignal): Promise<void>;
  /** Items pushed before are still taken. */
  end(error?: unknown): void;
};

export const makeBatchQueue = <T>(limit: number): BatchQueue<T> => {
  let items: T[] = [];
  let ended: { readonly error: unknown } | null = null;
  /** The taker is woken once this many items wait. */
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
