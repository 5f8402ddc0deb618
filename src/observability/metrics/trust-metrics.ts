import type { OperatorFacts } from '../../projections/operations/operator-facts.ts';
import { counter, gauge, only, type Metric } from './metric.ts';

export type TrustFacts = {
  readonly accepted: boolean;
  readonly logAgrees: boolean;
  /** How often another database was found behind the connections. */
  readonly databases: number;
};

export const trustMetrics = ({ accepted, logAgrees, databases }: TrustFacts): readonly Metric[] => [
  gauge(
    'grantbook_tokens_accepted',
    '1 when tokens are accepted: the fence is known to be current.',
    only(Number(accepted)),
  ),
  gauge(
    'grantbook_log_agrees',
    '0 from the first doubt on that the event store went back below this service.',
    only(Number(logAgrees)),
  ),
  counter(
    'grantbook_database_changes_total',
    'How often another database, or a restarted one, was found.',
    only(databases),
  ),
];

/** What the database knows about all instances; nothing while it is not available. */
export const sharedMetrics = (facts: OperatorFacts | undefined): readonly Metric[] => [
  gauge(
    'grantbook_checkpoint_position',
    'Commit position of each checkpoint.',
    (facts?.checkpoints ?? []).map(({ name, position }) => ({
      labels: { checkpoint: name },
      value: Number(position.commit),
    })),
  ),
  counter(
    'grantbook_break_glass_total',
    'Runs of the command line that changed something, or queried the audit log, without a sign-in.',
    only(facts?.breakGlass),
  ),
];
