import type { DatabaseGeneration } from '../../projections/database/database-generation.ts';
import type { FenceReadiness } from '../../projections/fence/fence-readiness.ts';
import type { RunningLogWatch } from '../../projections/log-guard/watch-log.ts';

type Dependencies = {
  readonly fence: Pick<FenceReadiness, 'trusted'>;
  readonly log: Pick<RunningLogWatch, 'agrees'>;
  readonly database: Pick<DatabaseGeneration, 'current'>;
};

export const makeTrust = ({ fence, log, database }: Dependencies) => {
  const trusted = () => fence.trusted() && log.agrees();
  return {
    /** Whether this instance accepts tokens: its fence is current, and the log is the one that it started with. */
    trusted,
    facts: () => ({ accepted: trusted(), logAgrees: log.agrees(), databases: database.current() }),
  };
};
