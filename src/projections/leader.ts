import { setTimeout as delay } from 'node:timers/promises';
import type { Position } from '../eventstore/event-store.ts';
import { linkAbort } from '../common/linked-abort.ts';
import { readNewerTypes } from './checkpoint-event-types.ts';
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
  /**
   * Event types that a newer version reads from the checkpoint on: this version must not move the checkpoint past an
   * event of these.
   */
  readonly stopAt: readonly string[];
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

/**
 * Waits for leadership and leads, again and again, until `signal` is aborted. Another database is tried at once. Never
 * rejects.
 */
export const lead = async (dependencies: LeaderDependencies): Promise<void> => {
  const { signal, bounds, failed, database } = dependencies;
  while (!signal.aborted) {
    const pause = await oneTerm(dependencies).then(() => bounds.pollMs, failed);
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
 * @throws ConnectionLost for every failure after the connection is lost
 */
const oneTerm = async (dependencies: LeaderDependencies): Promise<void> => {
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
    const stopAt = eventTypes ? await readNewerTypes(session.tx, name, eventTypes) : [];
    logger.info({ checkpoint: name, epoch: lease.epoch }, 'leads');
    const stillLeads = () => session.stillHolds();
    await term({ lease, position, tx: session.tx, stopAt, signal: ending.signal, stillLeads });
    session.lost.throwIfAborted();
  } catch (error) {
    session.lost.throwIfAborted();
    throw error;
  } finally {
    ending.unlink();
    await session.close();
  }
};
