import type { DepositCount } from '../../projections/log-guard/head-deposits-table.ts';
import { gauge, type Metric } from './metric.ts';

/** @param counts undefined where unknown */
export const headDepositMetrics = (counts: readonly DepositCount[] | undefined): readonly Metric[] => [
  gauge(
    'grantbook_head_deposits_waiting',
    'Signed heads of the log that could not be deposited at this place yet, and are tried again.',
    (counts ?? []).map(({ target, waiting }) => ({ labels: { target }, value: waiting })),
  ),
  gauge(
    'grantbook_head_deposit_timestamp_seconds',
    'When a signed head of the log was deposited at this place last; absent before the first.',
    (counts ?? []).flatMap(({ target, newestAt }) =>
      newestAt === null ? [] : [{ labels: { target }, value: newestAt / 1000 }],
    ),
  ),
];
