import { counter, gauge, type Metric } from './metric.ts';

/** Delivery to add-ons, by method (`poll`, `push`). */
export type SignalCounts = {
  readonly failures: Readonly<Record<string, number>>;
  readonly pollsWaiting: number;
};

/**
 * @param lags in seconds, by method; undefined while unknown
 * @param failingEndpoints undefined while unknown
 */
export const signalMetrics = (
  lags: Readonly<Record<string, number>> | undefined,
  failingEndpoints: number | undefined,
  { failures, pollsWaiting }: SignalCounts,
): readonly Metric[] => [
  gauge(
    'grantbook_signals_lag_seconds',
    'Age of the oldest SET that an enabled stream offers and the receiver has not acknowledged; all instances say the same.',
    Object.entries(lags ?? {}).map(([method, value]) => ({ labels: { method }, value })),
  ),
  gauge(
    'grantbook_signals_failing_endpoints',
    'Add-ons whose last push did not work, also those whose stream was paused for it; all instances say the same.',
    failingEndpoints === undefined ? [] : [{ value: failingEndpoints }],
  ),
  counter(
    'grantbook_signals_failures_total',
    'Pushes that did not work, and SETs that receivers could not use.',
    Object.entries(failures).map(([method, value]) => ({ labels: { method }, value })),
  ),
  gauge('grantbook_signals_polls_waiting', 'Polls that wait for a SET.', [{ value: pollsWaiting }]),
];
