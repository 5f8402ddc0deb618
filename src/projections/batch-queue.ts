/** Between the subscription that reads ahead and the writer that takes what has come in meanwhile. */
export type BatchQueue<T> = {
  /** Something to wait for when it is full. */
  push(item: T): Promise<void> | null;
  /** Everything that waits, up to `max`, as soon as there is anything; empty after the end. @throws what `end` was given */
  take(max: number): Promise<readonly T[]>;
  /** What was pushed before is still taken first. */
  end(error?: unknown): void;
};

export const makeBatchQueue = <T>(limit: number): BatchQueue<T> => {
  let items: T[] = [];
  let ended: { readonly error: unknown } | null = null;
  let wakeTaker = () => {};
  let wakePusher = () => {};
  return {
    push(item) {
      items.push(item);
      wakeTaker();
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
    end(error) {
      ended ??= { error };
      wakeTaker();
      wakePusher();
    },
  };
};
