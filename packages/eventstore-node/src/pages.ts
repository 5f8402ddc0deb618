import type { Stored } from './record.ts';

/**
 * The maximum number of events of the next page, adapted so that a page stays near a megabyte for any size of events.
 */
export type PageSize = { current(): number; learn(page: readonly Stored[]): void };

const largest = 1000;
const smallest = 16;
const first = 128;
const pageBytes = 1024 * 1024;

export const makePageSize = (): PageSize => {
  let size = first;
  return {
    current: () => size,
    learn: (page) => {
      if (page.length === 0) return;
      const bytes = page.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
      const fitting = Math.floor((pageBytes * page.length) / Math.max(bytes, 1));
      size = Math.max(smallest, Math.min(largest, size * 2, fitting));
    },
  };
};

/**
 * Pages of the log with prefetching: the next page is read while the caller writes the current one, but never more than
 * one page ahead. Ends after a page that was not full, or with `wanted` events.
 */
export async function* prefetched(
  read: (last: Stored | undefined, limit: number) => Promise<readonly Stored[]>,
  wanted = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly Stored[], void, undefined> {
  const size = makePageSize();
  let left = wanted;
  const next = (last: Stored | undefined): { limit: number; page: Promise<readonly Stored[]> } => {
    const limit = Math.min(size.current(), left);
    const page = read(last, limit);
    page.catch(() => undefined); // an error counts only when the page is awaited
    return { limit, page };
  };
  let coming = next(undefined);
  for (;;) {
    const { limit, page: promised } = coming;
    const page = await promised;
    size.learn(page);
    left -= page.length;
    const full = page.length >= limit && left > 0;
    if (full) coming = next(page.at(-1));
    yield page;
    if (!full) return;
  }
}
