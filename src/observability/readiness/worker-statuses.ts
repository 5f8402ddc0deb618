import type {
  LeaderElectedWorker,
  WorkerStatus,
} from '../../projections/leadership/leader-elected-worker.ts';
import type { DatabaseGeneration } from '../../projections/database/database-generation.ts';
import type { FenceReadiness } from '../../projections/fence/fence-readiness.ts';
import type { RunningLogWatch } from '../../projections/log-guard/watch-log.ts';

/** The workers of this instance, by name. All but the projector may be absent. */
export type WorkerStatuses = { readonly projector: WorkerStatus } & Readonly<Record<string, WorkerStatus>>;

export const statusesOf = <Name extends string>(
  workers: Readonly<Record<Name, Pick<LeaderElectedWorker, 'status'>>>,
): Readonly<Record<Name, WorkerStatus>> => {
  const named = Object.entries<Pick<LeaderElectedWorker, 'status'>>(workers);
  return Object.fromEntries(named.map(([name, worker]) => [name, worker.status()])) as Record<
    Name,
    WorkerStatus
  >;
};

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
