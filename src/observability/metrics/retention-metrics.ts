import type { RemovedRows } from '../../projections/retention/clean-tables.ts';
import { counter, type Metric } from './metric.ts';

/** @param total of each category so far: null before the first, undefined where unknown */
export const retentionMetrics = (
  total: Readonly<Record<string, number | undefined>> | null | undefined,
): readonly Metric[] => [
  counter(
    'grantbook_retention_removed_events_total',
    'Events that documented retention removed from the log, by category; all instances say the same. Absent before the first.',
    Object.entries(total ?? {}).map(([category, value = 0]) => ({ labels: { category }, value })),
  ),
];

/** Null where no cleaner runs. */
export const removedRowMetrics = (removed: RemovedRows | null): readonly Metric[] => [
  counter(
    'grantbook_retention_rows_removed_total',
    'Rows that this instance has removed because nobody can ask for them any more, by table.',
    Object.entries(removed ?? {}).map(([table, value]) => ({ labels: { table }, value })),
  ),
];
