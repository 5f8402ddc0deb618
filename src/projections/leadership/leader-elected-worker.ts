import type { DatabaseGeneration } from '../database/database-generation.ts';
import { EventOfNewerVersion, type Position } from '../../eventstore/event-store.ts';
import { LeaseLost } from '../follow/checkpoint.ts';
import { ConnectionLost } from './leader-session.ts';
import { lead, type Sharing, type Term } from './leader.ts';
import { leadershipBounds, type LeadershipBounds } from './leadership-bounds.ts';
import type { Logger } from '../database/pipelined-reader.ts';
import { ProjectionStuck } from '../follow/projection-stuck.ts';

export type WorkerStatus = {
  readonly role: 'standby' | 'leading' | 'stuck' | 'stopped';
  /** False when an event cannot be applied, or after several failures in a row. A standby is healthy. */
  readonly healthy: boolean;
  /** While leading: whether everything that was in the log has been applied. */
  readonly caughtUp: boolean;
  /** The position that this instance has reached while leading. */
  readonly position: Position | null;
  /** The event that the worker cannot get past. */
  readonly stuckAt: ProjectionStuck['event'] | null;
  /**
   * While more events wait than one batch takes: when the log stored the last applied event, milliseconds since the
   * Unix epoch.
   */
  readonly behindSince?: number | null;
};

/** A worker with a checkpoint: every instance starts one, and one of them leads. */
export type LeaderElectedWorker = {
  status(): WorkerStatus;
  /**
   * Resolves once this instance leads and has applied everything that was in the log; on a standby it stays pending.
   */
  readonly caughtUp: Promise<void>;
  /** Finishes the current work, gives up leadership and closes its connections. */
  stop(): Promise<void>;
};

/** @param behindSince null or as in the status, where it is known */
export type Progress = (position: Position | null, atEnd: boolean, behindSince?: number | null) => void;

/** What every worker needs to be led. */
export type LedDependencies = {
  readonly sharing?: Sharing | undefined;
  readonly databaseUrl: string;
  readonly database?: DatabaseGeneration | undefined;
  readonly logger: Logger;
  /** Where they differ from `leadershipBounds`. */
  readonly bounds?: Partial<LeadershipBounds>;
};

export type LeaderElectedWorkerDependencies = LedDependencies & {
  /** Name of the checkpoint. */
  readonly name: string;
  /** The event types to read from the checkpoint on; without them, all. */
  readonly eventTypes?: readonly string[];
  /** The work of a leader: runs until the term's signal is aborted, and reports its progress. */
  readonly work: (term: Term, progressed: Progress) => Promise<void>;
};

/** Starts as a standby, and leads whenever it gets the lock. After failures it tries again with a growing pause. */
export const startLeaderElectedWorker = ({
  work,
  ...dependencies
}: LeaderElectedWorkerDependencies): LeaderElectedWorker => {
  const stopping = new AbortController();
  const bounds = { ...leadershipBounds, ...dependencies.bounds };
  const record = makeRecord({ ...dependencies, bounds });
  const running = lead({
    ...dependencies,
    bounds,
    signal: stopping.signal,
    stoodBy: record.stoodBy,
    failed: (error) => (stopping.signal.aborted ? 0 : record.failed(error)),
    term: (term) => {
      record.began(term.position);
      return work(term, record.progressed).finally(record.ended);
    },
  });
  return {
    status: record.status,
    caughtUp: record.caughtUp,
    async stop() {
      stopping.abort();
      await running;
      record.stopped();
    },
  };
};

const failuresUntilUnhealthy = 3;

/** How long another instance must have led before that proves that the work can be done, not only started. */
const proofMs = 10_000;

const waitsForNewer =
  'stands by: the next event is of a newer version, and only an instance of that version can lead here (docs/reference/running.md)';
const leavesItToNewer = 'stands by: the next event is of a newer version, which may lead here';

/** How long an instance that needs a newer version to lead leaves the lock to it. */
const newerMs = 5_000;

type RecordDependencies = Pick<LeaderElectedWorkerDependencies, 'logger' | 'name'> & {
  readonly bounds: LeadershipBounds;
};

const makeRecord = ({ logger, name, bounds: { pollMs } }: RecordDependencies) => {
  let failures = 0;
  let isLeading = false;
  let failedAtWork = -Infinity;
  let status: Omit<WorkerStatus, 'healthy'> = {
    role: 'standby',
    caughtUp: false,
    position: null,
    stuckAt: null,
  };
  let announce = () => {};
  const caughtUp = new Promise<void>((resolve) => (announce = resolve));
  return {
    caughtUp,
    status: () => ({ ...status, healthy: status.role !== 'stuck' && failures < failuresUntilUnhealthy }),
    /** The server has answered: failures to reach it no longer count; failures at work count for `proofMs` more. */
    stoodBy: () => {
      if (performance.now() > failedAtWork + proofMs) failures = 0;
    },
    began: (position: Position | null) => {
      isLeading = true;
      status = { ...status, role: 'leading', position };
    },
    progressed: (position: Position | null, atEnd: boolean, behindSince?: number | null) => {
      failures = 0;
      status = {
        ...status,
        position,
        caughtUp: status.caughtUp || atEnd,
        ...(behindSince !== undefined && { behindSince }),
      };
      if (atEnd) announce();
    },
    ended: () => void (status = { ...status, role: 'standby', caughtUp: false }),
    stopped: () => (status = { ...status, role: 'stopped' }),
    /** How long to pause, or null to stop permanently: an event that cannot be applied waits for an operator. */
    failed: (error: unknown): number | null => {
      const [wasLeading, isLost] = [isLeading, error instanceof ConnectionLost || error instanceof LeaseLost];
      isLeading = false;
      if (error instanceof EventOfNewerVersion) {
        const { type, stream } = error.event;
        const context = { checkpoint: name, event: { type, stream } };
        if (error.maySkip) logger.info(context, leavesItToNewer);
        else logger.error({ ...context, alarm: true }, waitsForNewer);
        return newerMs;
      }
      failures += 1;
      if (wasLeading && !isLost) failedAtWork = performance.now();
      const stuck = error instanceof ProjectionStuck;
      const alarm = stuck || failures >= failuresUntilUnhealthy;
      // Another leader is not an error of this program: no stack.
      const why = isLost && !alarm ? { reason: (error as Error).message } : { err: error };
      const context = { ...why, checkpoint: name, failures, alarm };
      if (!stuck) {
        const [what, pause] = !isLost
          ? [
              'starts again after a failure',
              Math.min((pollMs / 10) * 2 ** failures, wasLeading ? 5000 : pollMs),
            ]
          : [wasLeading ? 'lost leadership, on standby' : 'on standby again', pollMs];
        logger[alarm ? 'error' : 'warn'](context, what);
        return pause;
      }
      status = { ...status, role: 'stuck', stuckAt: error.event };
      logger.error({ ...context, event: error.event }, error.message);
      return null;
    },
  };
};
