import type { EventType } from '../domain/events.ts';
import {
  type LogMessage,
  type LogSubscriptions,
  type ReadEvent,
  type RecordedEvent,
  StreamUnreadable,
} from '../eventstore/event-store.ts';
import { linkAbort, raceAbort } from '../common/linked-abort.ts';
import { moveCheckpoint } from '../projections/follow/checkpoint.ts';
import { referenceIn } from '../projections/follow/fold-messages.ts';
import type { Term } from '../projections/leadership/leader.ts';
import {
  startLeaderElectedWorker,
  type LeaderElectedWorker,
  type LedDependencies,
  type Progress,
} from '../projections/leadership/leader-elected-worker.ts';
import { lastPosition } from '../projections/follow/log-messages.ts';
import { park } from '../projections/parking/park.ts';
import { noneSkipped, type ReadSkipped } from '../projections/parking/parked-keys.ts';
import type { Tx } from '../projections/follow/projection.ts';

export type ReactionDependencies = LedDependencies & {
  readonly log: LogSubscriptions;
  /** Of its checkpoint; not a projection's: a rebuild never runs a reaction again. */
  readonly name: string;
  readonly eventTypes: readonly EventType[];
  /**
   * Must be idempotent: a rejection is tried again, with growing pauses. Only what cannot be decoded, or needs such a stream, is parked.
   * After `signal`, the handler is not awaited and should start nothing new.
   */
  readonly handle: (event: RecordedEvent, signal: AbortSignal) => Promise<void>;
  /** Events that operators decided to skip. */
  readonly skipped?: ReadSkipped;
};

/** Runs `handle` for each event in order, at least once, on one instance; the checkpoint moves afterwards. */
export const startReaction = (dependencies: ReactionDependencies): LeaderElectedWorker =>
  startLeaderElectedWorker({
    ...dependencies,
    work: (term, progressed) => react(dependencies, term, progressed),
  });

const react = async (
  dependencies: ReactionDependencies,
  { tx, lease, position: start, newer, signal }: Term,
  progressed: Progress,
): Promise<void> => {
  const { log, eventTypes } = dependencies;
  let position = start;
  const leaving = linkAbort(signal);
  try {
    const from = {
      after: start,
      eventTypes,
      unreadable: 'deliver',
      ...newer,
      signal: leaving.signal,
    } as const;
    for await (const message of log.subscribe(from)) {
      if (signal.aborted) return;
      const error = await raceAbort(handleOne(dependencies, message, signal), signal);
      if (signal.aborted) return; // it may have stopped half-way
      if (error && (message.kind === 'event' || message.kind === 'unreadable'))
        await parkOne(dependencies, tx, message, error);
      const next = lastPosition([message]);
      if (next) await moveCheckpoint(tx, lease, position, next);
      position = next ?? position;
      progressed(position, message.kind === 'caught-up');
    }
    if (!signal.aborted) throw new Error('The subscription ended');
  } finally {
    leaving.abort();
    leaving.unlink();
  }
};

/** @returns why only an operator or another version can help; null when it was handled or skipped */
const handleOne = async (
  { handle, skipped = noneSkipped, name }: ReactionDependencies,
  message: LogMessage,
  signal: AbortSignal,
): Promise<string | null> => {
  if (message.kind !== 'event' && (message.kind !== 'unreadable' || message.maySkip)) return null;
  const problem =
    message.kind === 'unreadable' ? message.problem : await handled(handle, message.event, signal);
  return problem !== null && (await skipped(name)).has(message.event.id) ? null : problem;
};

const handled = (handle: ReactionDependencies['handle'], event: RecordedEvent, signal: AbortSignal) =>
  handle(event, signal).then(() => null, describeUnreadable);

/** @throws every other error than one about an event that cannot be decoded */
export const describeUnreadable = (error: unknown): string => {
  if (error instanceof StreamUnreadable) return `${error.event.stream} cannot be read: ${error.message}`;
  throw error;
};

/** Before the checkpoint moves: if the process is killed in between, the event is parked again. */
const parkOne = async (
  { name, logger }: ReactionDependencies,
  tx: Tx,
  message: ReadEvent,
  error: string,
): Promise<void> => {
  const event = referenceIn(message);
  await park(tx, name, [{ projection: name, event, content: null, error, closes: null }]);
  logger.error(
    { checkpoint: name, event: { ...event, position: undefined }, error, alarm: true },
    `${name} cannot handle ${event.type} ${event.id} of ${event.stream}: it is parked (grantbook parked list)`,
  );
};
