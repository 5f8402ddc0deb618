export type Buckets = ReturnType<typeof makeBuckets>;

/** Of a histogram for Prometheus. @param perSecond how many of the unit of the bounds and durations are a second */
export const makeBuckets = (bounds: readonly number[], perSecond = 1) => {
  /** Not cumulative; the last bucket has no upper bound. */
  const within = [...bounds, Infinity].map(() => 0);
  let sum = 0;
  return {
    add: (duration: number): void => {
      let place = 0;
      while (place < bounds.length && duration > (bounds[place] ?? Infinity)) place += 1;
      within[place] = (within[place] ?? 0) + 1;
      sum += duration;
    },
    samples: (labels: Readonly<Record<string, string>> = {}) => {
      let count = 0;
      const buckets = within.map((value, place) => {
        const bound = bounds[place];
        const le = bound === undefined ? '+Inf' : String(bound / perSecond);
        return { labels: { ...labels, le }, value: (count += value), suffix: '_bucket' } as const;
      });
      return [
        ...buckets,
        { labels, value: sum / perSecond, suffix: '_sum' } as const,
        { labels, value: count, suffix: '_count' } as const,
      ];
    },
  };
};
