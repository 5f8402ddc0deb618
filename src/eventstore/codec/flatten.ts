/** Yields the items of batches one by one, without an extra promise per item: delivery is a hot path. */
export const flatten = <T>(batches: AsyncIterable<readonly T[]>): AsyncIterable<T> => ({
  [Symbol.asyncIterator]() {
    const source = batches[Symbol.asyncIterator]();
    let batch: readonly T[] = [];
    let index = 0;
    const next = async (): Promise<IteratorResult<T>> => {
      const { done, value } = await source.next();
      if (done) return { done: true, value: undefined };
      batch = value;
      index = 0;
      return index < batch.length ? take() : next();
    };
    const take = (): IteratorResult<T> => ({ done: false, value: batch[index++] as T });
    return {
      next: () => (index < batch.length ? Promise.resolve(take()) : next()),
      async return() {
        await source.return?.();
        return { done: true, value: undefined };
      },
    };
  },
});
