import type { LeaderElectedWorker, WorkerStatus } from '../../projections/follow/leader-elected-worker.ts';

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
