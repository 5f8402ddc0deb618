import { counter, gauge, only, type Metric } from './metric.ts';

/**
 * @param storedAt when all counts of this instance were last stored, milliseconds since the Unix epoch; null where
 * reads are not counted
 */
export const readCountMetrics = (unattributed: number, storedAt: number | null): readonly Metric[] => [
  counter(
    'grantbook_list_reads_unattributed_total',
    'Pages of lists that were counted without their grant, because the capacity for separate grants was used up.',
    only(unattributed),
  ),
  gauge(
    'grantbook_list_reads_stored_timestamp_seconds',
    'When this instance had stored all its counts of reads last.',
    only(storedAt === null ? null : storedAt / 1000),
  ),
];
