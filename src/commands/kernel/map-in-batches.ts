const width = 64;

/** Runs over all items, 64 at a time; the results are in the order of the items. */
export const mapInBatches = async <T, R>(
  items: readonly T[],
  run: (item: T) => Promise<R>,
): Promise<readonly R[]> => {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += width)
    results.push(...(await Promise.all(items.slice(from, from + width).map(run))));
  return results;
};
