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
  /** Where the checkpoint stands. */
  readonly position: Position | null;
  /** The connection that holds the lock: what is written through it is written by the leader. */
  readonly tx: Tx;
  /** Event types that a newer version reads from the checkpoint on: nothing moves it past one of those. */
  readonly stopAt: readonly string[];
  /** Aborted when the connection is lost, and when this instance stops. */
  readonly signal: AbortSignal;
};

export type LeaderDependencies = SessionDependencies & {
  /** What is read from the checkpoint on; without them, everything. */
  readonly eventTypes?: readonly string[];
  /** Leads until it returns or throws; after either, the lock is given up and asked for again. */
  readonly term: (term: Term) => Promise<void>;
  /** The server has answered that another one leads. */
  readonly stoodBy: () => void;
  /** A term ended, or could not begin, by an exception. Answers how long to wait, or null to stop for good. */
  readonly failed: (error: unknown) => number | null;
};

/** Stands by for leadership and leads, again and again, until `signal` is aborted. Never rejects. */
export const lead = async (dependencies: LeaderDependencies): Promise<void> => {
  const { signal, bounds, failed } = dependencies;
  while (!signal.aborted) {
    const pause = await oneTerm(dependencies).then(() => bounds.pollMs, failed);
    if (pause === null) return;
    await delay(pause, undefined, { signal }).catch(() => undefined);
  }
};

/**
 * Waits for the lock on a connection of its own and leads while that connection lives.
 * @throws ConnectionLost whatever else the loss of the connection has led to
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
    await term({ lease, position, tx: session.tx, stopAt, signal: ending.signal });
    session.lost.throwIfAborted();
  } catch (error) {
    session.lost.throwIfAborted();
    throw error;
  } finally {
    ending.unlink();
    await session.close();
  }
};
