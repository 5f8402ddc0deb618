import {
  comparePositions,
  EventOfNewerVersion,
  type EventReference,
  type Position,
} from '../../eventstore/event-store.ts';
import { pause } from '../../common/backoff.ts';
import { linkAbort } from '../../common/linked-abort.ts';
import { readNewerTypes, startPassingOver, type NewerTypes } from '../follow/checkpoint-event-types.ts';
import { takeLease, type Lease } from '../follow/checkpoint.ts';
import {
  openLeaderSession,
  type LeaderSession,
  type OpenLeaderSession,
  type SessionDependencies,
} from './leader-session.ts';
import type { Tx } from '../follow/projection.ts';
import type { StandBy } from './stand-by.ts';
import { thisInstanceSince } from './this-instance.ts';

export type Term = {
  readonly lease: Lease;
  /** The position of the checkpoint. */
  readonly position: Position | null;
  /** The connection that holds the lock: whatever is written through it is written by the leader. */
  readonly tx: Tx;
  readonly newer: NewerTypes;
  /** Aborted when the connection is lost, and when this instance stops. */
  readonly signal: AbortSignal;
  /** Whether no other instance can lead yet: `signal` is late where the process stood still. */
  readonly stillLeads: () => boolean;
};

/** How the workers of an instance share sessions. */
export type Sharing = {
  /** Without it, each worker that does not lead tries for the lock at every poll. */
  readonly standBy?: StandBy;
  /** Without it, each leader has a session of its own. */
  readonly open?: OpenLeaderSession;
};

export type LeaderDependencies = SessionDependencies & {
  readonly sharing?: Sharing | undefined;
  /** The event types to read from the checkpoint on; without them, all. */
  readonly eventTypes?: readonly string[];
  /** The work of one term: leads until it returns or throws; after either, the lock is released and requested again. */
  readonly term: (term: Term) => Promise<void>;
  /** Called when the server answers that another instance leads. */
  readonly stoodBy: () => void;
  /**
   * Called when a term ended, or could not begin, with an exception. Returns how long to wait, or null to stop for
   * good.
   */
  readonly failed: (error: unknown) => number | null;
};

const none: NewerTypes = { stopAt: [], passOver: [] };

const passesOver =
  'passes over events of a newer version, which may be skipped: no instance of that version leads (docs/how-to/run-two-versions.md#upgrades)';

/**
 * Waits for leadership and leads, again and again, until `signal` is aborted. Another database is tried at once. Never
 * rejects.
 */
export const lead = async (dependencies: LeaderDependencies): Promise<void> => {
  const { signal, bounds, failed, database } = dependencies;
  let waitedFor: EventReference | null = null;
  while (!signal.aborted) {
    const error: unknown = await oneTerm(dependencies, waitedFor).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    waitedFor = error instanceof EventOfNewerVersion && error.maySkip ? error.event : null;
    const wait = error === null ? bounds.pollMs : failed(error);
    if (wait === null) return;
    const waking = linkAbort(signal);
    const stop = database?.onChange(() => waking.abort());
    await pause(wait, waking.signal);
    stop?.();
    waking.unlink();
  }
};

/**
 * Leads while the connection lives, as soon as nobody else does.
 * @param waitedFor the event of a newer version for which this instance stood by
 * @throws ConnectionLost for every failure after the connection is lost
 */
const oneTerm = async (dependencies: LeaderDependencies, waitedFor: EventReference | null): Promise<void> => {
  const { name, signal, bounds, stoodBy: held, sharing = {} } = dependencies;
  const polling = () => pause(bounds.pollMs, signal);
  const { open = openLeaderSession, standBy = polling } = sharing;
  while (!signal.aborted) {
    const session = await open({ ...dependencies, instance: thisInstanceSince });
    try {
      if (await session.tryLock()) return await leadOver(session, dependencies, waitedFor);
    } catch (error) {
      session.lost.throwIfAborted();
      throw error;
    } finally {
      await session.close();
    }
    held();
    await standBy({ name, signal, held });
  }
};

const leadOver = async (
  session: LeaderSession,
  { name, logger, signal, term, eventTypes }: LeaderDependencies,
  waitedFor: EventReference | null,
): Promise<void> => {
  const { tx, lost } = session;
  const ending = linkAbort(signal, lost);
  try {
    const { lease, position } = await takeLease(tx, name);
    if (waitedFor && (position === null || comparePositions(position, waitedFor.position) < 0)) {
      const { type } = waitedFor;
      await startPassingOver(tx, name, type);
      logger.warn({ checkpoint: name, type, alarm: true }, passesOver);
    }
    const newer = eventTypes ? await readNewerTypes(tx, name, eventTypes) : none;
    logger.info({ checkpoint: name, epoch: lease.epoch }, 'leads');
    const stillLeads = () => session.stillHolds();
    await term({ lease, position, tx, newer, signal: ending.signal, stillLeads });
    lost.throwIfAborted();
  } finally {
    ending.unlink();
  }
};
