/** So many at once keep the log busy without shutting out everybody else. */
const width = 64;

/**
 * Runs over everything that comes, so many at once: where one is done the next begins. Stops at the first failure, and
 * when `signal` is aborted; what is under way then is waited for.
 * @throws what failed first, or the signal's reason
 */
export const forEachConcurrent = async <T>(
  pages: AsyncIterable<readonly T[]>,
  run: (item: T) => Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  const items = oneByOne(pages);
  const lane = async () => {
    // Lanes share the iterator: whoever leaves it ends it for all.
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
