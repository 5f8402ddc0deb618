import type { TrustFacts } from '../metrics/trust-metrics.ts';
import type { DatabaseGeneration } from '../../projections/database/database-generation.ts';
import type { FenceReadiness } from '../../projections/fence/fence-readiness.ts';
import type { RunningLogWatch } from '../../projections/log-guard/watch-log.ts';

type Dependencies = {
  readonly fence: Pick<FenceReadiness, 'trusted'>;
  readonly log: Pick<RunningLogWatch, 'agrees'>;
  readonly database: Pick<DatabaseGeneration, 'current'>;
};

export type Trust = {
  /** Whether this instance accepts tokens: its fence is current, and the log is the one that it started with. */
  readonly trusted: () => boolean;
  readonly facts: () => TrustFacts;
};

export const makeTrust = ({ fence, log, database }: Dependencies): Trust => {
  const trusted = () => fence.trusted() && log.agrees();
  return {
    trusted,
    facts: () => ({ accepted: trusted(), logAgrees: log.agrees(), databases: database.current() }),
  };
};
