import { gauge, only, type Metric } from './metric.ts';

/** @param lost the number of persons; undefined where the database does not answer */
export const personalKeyMetrics = (lost: number | undefined): readonly Metric[] => [
  gauge(
    'grantbook_personal_keys_lost',
    'Persons whose key is missing but was not deleted: key lost.',
    only(lost ?? null),
  ),
];
