import { gauge, type Metric } from './metric.ts';

/** @param signedAt of the newest signed head: null before the first, undefined where unknown */
export const logHeadMetrics = (signedAt: number | null | undefined): readonly Metric[] => [
  gauge(
    'grantbook_signed_head_timestamp_seconds',
    'When the newest signed head of the log was made; absent before the first.',
    typeof signedAt === 'number' ? [{ value: signedAt / 1000 }] : [],
  ),
];
