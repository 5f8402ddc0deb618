import type { ParkedCount } from '../../projections/parking/parked-rows.ts';
import { gauge, type Metric } from './metric.ts';

/** Undefined: the database does not answer. */
export const parkedMetrics = (counts: readonly ParkedCount[] | undefined): readonly Metric[] => {
  const labelled = (valueOf: (count: ParkedCount) => number) =>
    (counts ?? []).map((count) => ({
      labels: { checkpoint: count.checkpoint, projection: count.projection },
      value: valueOf(count),
    }));
  return [
    gauge(
      'grantbook_parked_keys',
      'Streams that a read model holds back since an event of theirs that it could not apply; absent where there are none.',
      labelled(({ keys }) => keys),
    ),
    gauge(
      'grantbook_parked_events',
      'Events that are held back with them.',
      labelled(({ events }) => events),
    ),
  ];
};
