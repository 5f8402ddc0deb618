import { makeBuckets } from '../../common/buckets.ts';
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
  const buckets = makeBuckets(histogramBounds);
  return {
    observe: (seconds) => {
      buckets.add(seconds);
      also?.(seconds, {});
    },
    metric: () => ({ name, help, type: 'histogram', samples: buckets.samples() }),
  };
};
