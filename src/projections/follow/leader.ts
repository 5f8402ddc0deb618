import { setTimeout as delay } from 'node:timers/promises';
import {
  comparePositions,
  EventOfNewerVersion,
  type EventReference,
  type Position,
} from '../../eventstore/event-store.ts';
import { linkAbort } from '../../common/linked-abort.ts';
import { readNewerTypes, startPassingOver, type NewerTypes } from './checkpoint-event-types.ts';
import { takeLease, type Lease } from './checkpoint.ts';
import { openLeaderSession, type SessionDependencies } from './leader-session.ts';
import type { Tx } from './projection.ts';
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

export type LeaderDependencies = SessionDependencies & {
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
    const pause = error === null ? bounds.pollMs : failed(error);
    if (pause === null) return;
    const waking = linkAbort(signal);
    const stop = database?.onChange(() => waking.abort());
    await delay(pause, undefined, { signal: waking.signal }).catch(() => undefined);
    stop?.();
    waking.unlink();
  }
};

/**
 * Waits for the lock on a connection of its own and leads while that connection lives.
 * @param waitedFor the event of a newer version for which this instance stood by
 * @throws ConnectionLost for every failure after the connection is lost
 */
const oneTerm = async (dependencies: LeaderDependencies, waitedFor: EventReference | null): Promise<void> => {
  const { name, logger, signal, term, stoodBy, eventTypes } = dependencies;
  const session = await openLeaderSession({ ...dependencies, instance: thisInstanceSince });
  const ending = linkAbort(signal, session.lost);
  try {
    while (!(await session.tryLock())) {
      stoodBy();
      await session.standBy();
      if (signal.aborted) return;
    }
    const { lease, position } = await takeLease(session.tx, name);
    if (waitedFor && (position === null || comparePositions(position, waitedFor.position) < 0)) {
      const { type } = waitedFor;
      await startPassingOver(session.tx, name, type);
      logger.warn({ checkpoint: name, type, alarm: true }, passesOver);
    }
    const newer = eventTypes ? await readNewerTypes(session.tx, name, eventTypes) : none;
    logger.info({ checkpoint: name, epoch: lease.epoch }, 'leads');
    const stillLeads = () => session.stillHolds();
    await term({ lease, position, tx: session.tx, newer, signal: ending.signal, stillLeads });
    session.lost.throwIfAborted();
  } catch (error) {
    session.lost.throwIfAborted();
    throw error;
  } finally {
    ending.unlink();
    await session.close();
  }
};
