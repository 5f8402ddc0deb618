const width = 64;

/** Runs over all items with limited concurrency, up to the first failure or abort; running calls are awaited. @throws that */
export const forEachConcurrent = async <T>(
  pages: AsyncIterable<readonly T[]>,
  run: (item: T) => Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  const items = oneByOne(pages);
  const lane = async () => {
    // Workers share the iterator: leaving the loop in one ends it for all.
    for await (const item of items) {
      signal.throwIfAborted();
      await run(item);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: width }, lane));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
};

async function* oneByOne<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const page of pages) yield* page;
}
