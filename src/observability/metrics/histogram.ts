import type { Labels, Metric } from './metric.ts';

export type Histogram = {
  observe(seconds: number): void;
  metric(): Metric;
};

/** In seconds: from a statement on cached data to a failing server. */
export const histogramBounds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

/** @param also also called with each duration; null: nothing */
export const makeHistogram = (
  name: string,
  help: string,
  also: ((seconds: number, labels: Labels) => void) | null,
): Histogram => {
  const within = [...histogramBounds, Infinity].map(() => 0);
  let sum = 0;
  return {
    observe: (seconds) => {
      const found = histogramBounds.findIndex((bound) => seconds <= bound);
      const place = found === -1 ? histogramBounds.length : found;
      within[place] = (within[place] ?? 0) + 1;
      sum += seconds;
      also?.(seconds, {});
    },
    metric: () => {
      let count = 0;
      const buckets = within.map((value, place) => {
        const bound = histogramBounds[place];
        const labels = { le: bound === undefined ? '+Inf' : String(bound) };
        return { labels, value: (count += value), suffix: '_bucket' } as const;
      });
      const samples = [
        ...buckets,
        { value: sum, suffix: '_sum' } as const,
        { value: count, suffix: '_count' } as const,
      ];
      return { name, help, type: 'histogram', samples };
    },
  };
};
