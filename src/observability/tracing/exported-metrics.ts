import { metrics, type Histogram, type Observable, type ObservableResult } from '@opentelemetry/api';
import { histogramBounds } from '../metrics/histogram.ts';
import type { Metric } from '../metrics/metric.ts';
import type { Telemetry } from './telemetry.ts';

/** How long one collection serves all instruments of an export, in milliseconds. */
const fresh = 1_000;

/**
 * Passes the metrics of `/metrics` to the SDK under their own names: counters and gauges when it asks, histograms as
 * they happen.
 */
export const exportedMetrics = (
  name: string,
  version: string,
): Pick<Telemetry, 'record' | 'exportMetrics'> => {
  const meter = metrics.getMeter(name, version);
  const histograms = new Map<string, Histogram>();
  const explicitBucketBoundaries = [...histogramBounds];
  const histogramOf = (title: string): Histogram => {
    const made =
      histograms.get(title) ??
      meter.createHistogram(title, { unit: 's', advice: { explicitBucketBoundaries } });
    histograms.set(title, made);
    return made;
  };
  const instrumentOf = ({ name: title, help, type }: Metric): Observable =>
    type === 'counter'
      ? meter.createObservableCounter(title, { description: help })
      : meter.createObservableGauge(title, { description: help });

  return {
    record: (title, seconds, labels) => histogramOf(title).record(seconds, labels),
    exportMetrics: (collect) => {
      const known = new Set<string>();
      let last: { readonly at: number; readonly all: Promise<readonly Metric[]> } | null = null;
      const collected = () => {
        const at = performance.now();
        if (last === null || at - last.at >= fresh) last = { at, all: collect().then(learn) };
        return last.all;
      };
      const learn = (all: readonly Metric[]) => {
        for (const metric of all)
          if (metric.type !== 'histogram' && !known.has(metric.name)) {
            known.add(metric.name);
            instrumentOf(metric).addCallback(async (result) =>
              observe(result, await collected(), metric.name),
            );
          }
        return all;
      };
      collected().catch(() => (last = null)); // the instruments that exist by then; others join when they are first seen
    },
  };
};

const observe = (result: ObservableResult, all: readonly Metric[], name: string): void => {
  for (const { labels, value } of all.find((metric) => metric.name === name)?.samples ?? [])
    result.observe(value, labels);
};
