import { plannedByKeys } from '../database/planner.ts';
import type { EventType } from '../../domain/events.ts';
import type { EventReference, LogMessage, LogSubscriptions } from '../../eventstore/event-store.ts';
import { liveReadModels, markComplete } from './checkpoint.ts';
import type { Term } from '../leadership/leader.ts';
import {
  startLeaderElectedWorker,
  type LeaderElectedWorker,
  type LedDependencies,
  type Progress,
} from '../leadership/leader-elected-worker.ts';
import { makeAdaptiveBatchDelay } from './adaptive-batch-delay.ts';
import { isCaughtUp, lastStored } from './log-messages.ts';
import { loadParkedKeys, noneSkipped, type ReadSkipped } from '../parking/parked-keys.ts';
import type { Projection } from './projection.ts';
import { readAhead } from './read-ahead.ts';
import type { Logger } from '../database/pipelined-reader.ts';
import { writeBatch } from './write-batch.ts';

export type ProjectorDependencies = LedDependencies & {
  readonly log: LogSubscriptions;
  readonly projections: readonly Projection[];
  /** Events that operators decided to skip. */
  readonly skipped?: ReadSkipped;
  /** The name of the group's checkpoint. */
  readonly name?: string;
  /** The most messages in one transaction. */
  readonly batchSize?: number;
  /** The least time between two transactions while many events arrive; a single event never waits. */
  readonly lingerMs?: number;
  /** Called with what is in the tables now. */
  readonly passed?: (messages: readonly LogMessage[]) => void;
};

export type Projector = LeaderElectedWorker;

/**
 * Keeps the read models up to date. Every instance starts one; one of them leads, the others stand by. Rows and
 * checkpoint are one transaction, so it may be killed at any point. It never skips by itself: an event that cannot be
 * applied parks its key, with an alarm (ADR 20); an event that the fence cannot apply stops it, while commands still
 * write the fence.
 */
export const startProjector = (dependencies: ProjectorDependencies): Projector =>
  startLeaderElectedWorker({
    ...dependencies,
    name: dependencies.name ?? liveReadModels,
    eventTypes: eventTypesOf(dependencies.projections),
    work: (term, progressed) => project(dependencies, term, progressed),
  });

/** Reads ahead while the last batch is being written: what has arrived by then is the next batch. */
const project = async (
  {
    log,
    projections,
    skipped = noneSkipped,
    logger,
    batchSize = 1000,
    lingerMs = 40,
    passed,
  }: ProjectorDependencies,
  { tx, lease, position: start, newer, signal }: Term,
  progressed: Progress,
): Promise<void> => {
  // If a crash of the database loses the last commits, nothing is wrong: the checkpoint is lost with the rows, and the
  // events are replayed.
  await tx.query('set synchronous_commit = off');
  await tx.query(plannedByKeys);
  const names = projections.map(({ name }) => name);
  const parked = await loadParkedKeys({ tx, name: lease.name, projections: names, skipped });
  const poisoned = tellPoisoned(logger, lease.name);
  const linger = makeAdaptiveBatchDelay(lingerMs);
  const eventTypes = eventTypesOf(projections);
  const ahead = readAhead(
    log,
    { after: start, eventTypes, unreadable: 'deliver', ...newer, signal },
    2 * batchSize,
  );
  try {
    let position = start;
    while (!signal.aborted) {
      const messages = await ahead.take(batchSize);
      if (messages.length === 0) break;
      const began = performance.now();
      position = await writeBatch({ client: tx, lease, projections, parked, poisoned }, position, messages);
      passed?.(messages);
      const caughtUp = messages.some(isCaughtUp);
      if (caughtUp) await markComplete(tx, lease);
      progressed(position, caughtUp, messages.length < batchSize ? null : lastStored(messages));
      await ahead.gather(batchSize, linger(messages.length) - (performance.now() - began));
    }
    if (!signal.aborted) throw new Error('The subscription ended');
  } finally {
    await ahead.leave();
  }
};

export const eventTypesOf = (projections: readonly Projection[]): readonly EventType[] => [
  ...new Set(projections.flatMap(({ eventTypes }) => eventTypes)),
];

const tellPoisoned =
  (logger: Logger, checkpoint: string) => (event: EventReference, projection: string, error: string) =>
    logger.error(
      { checkpoint, projection, event: { ...event, position: undefined }, error, alarm: true },
      `${projection} cannot apply ${event.type} ${event.id} of ${event.stream}: its key is parked (grantbook parked list)`,
    );
