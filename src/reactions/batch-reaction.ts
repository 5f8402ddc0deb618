import { type LogMessage, type RecordedEvent, StreamUnreadable } from '../eventstore/event-store.ts';
import { linkAbort, raceAbort } from '../common/linked-abort.ts';
import type { IsSkipped } from '../eventstore/skipped-events.ts';
import { makeCheckpointWriter } from '../projections/follow/checkpoint-writer.ts';
import { moveCheckpoint } from '../projections/follow/checkpoint.ts';
import type { Term } from '../projections/leadership/leader.ts';
import {
  startLeaderElectedWorker,
  type LeaderElectedWorker,
  type Progress,
} from '../projections/leadership/leader-elected-worker.ts';
import { isCaughtUp, lastPosition } from '../projections/follow/log-messages.ts';
import type { ReactionDependencies } from './reaction.ts';
import { readAhead } from '../projections/follow/read-ahead.ts';

export type BatchReactionDependencies = Omit<ReactionDependencies, 'handle' | 'skipped'> & {
  /** Like a reaction's, for all events of a batch in the order of the log; never called without events. */
  readonly handle: (events: readonly RecordedEvent[], signal: AbortSignal) => Promise<Handled>;
  /** Whether an operator skipped an event that cannot be decoded; if not, no later one is handled. */
  readonly isSkipped: IsSkipped;
  /** The most messages of the log in one batch. */
  readonly batchSize?: number | undefined;
  /** For tests: called around the write of the checkpoint. */
  readonly at?: ((point: 'before-checkpoint' | 'after-checkpoint') => Promise<void> | void) | undefined;
};

/** `stepped-down`: another instance may try now, and the batch is delivered again. Not a failure. */
export type Handled = 'handled' | 'stepped-down';

/** A reaction by batches of all that arrived. The handler has the next batch while the checkpoint moves: after a crash two may be repeated. */
export const startBatchReaction = (dependencies: BatchReactionDependencies): LeaderElectedWorker =>
  startLeaderElectedWorker({
    ...dependencies,
    work: (term, progressed) => reactInBatches(dependencies, term, progressed),
  });

export const reactInBatches = async (
  { log, eventTypes, handle, isSkipped, batchSize = 1000, at = () => undefined }: BatchReactionDependencies,
  { tx, lease, position: start, newer, signal }: Term,
  progressed: Progress,
): Promise<void> => {
  // A crash of the database may lose the last moves of the checkpoint: those events are handled again.
  await tx.query('set synchronous_commit = off');
  const failing = new AbortController();
  const { signal: untilFailure, unlink } = linkAbort(signal, failing.signal);
  const checkpoint = makeCheckpointWriter({
    start,
    write: async (from, to) => {
      await at('before-checkpoint');
      await moveCheckpoint(tx, lease, from, to);
      await at('after-checkpoint');
    },
    wrote: progressed,
    failed: (error) => failing.abort(error),
  });
  const from = { after: start, eventTypes, unreadable: 'deliver', ...newer, signal: untilFailure } as const;
  const ahead = readAhead(log, from, 2 * batchSize);
  try {
    while (!untilFailure.aborted) {
      const taken = await ahead.take(batchSize);
      if (taken.length === 0) break;
      const { messages, unreadable } = await upToUnreadable(taken, isSkipped);
      const events = messages.flatMap((message) => (message.kind === 'event' ? [message.event] : []));
      if (events.length > 0) {
        const handled = await raceAbort(handle(events, untilFailure), untilFailure);
        if (untilFailure.aborted) break; // it may have stopped half-way
        if (handled === 'stepped-down') return;
        await checkpoint.settled(); // never more than one batch behind
      }
      checkpoint.moveTo(lastPosition(messages), messages.some(isCaughtUp));
      if (unreadable) {
        await checkpoint.settled();
        throw new StreamUnreadable(unreadable.event, unreadable.problem);
      }
    }
    await checkpoint.settled();
    failing.signal.throwIfAborted();
    if (!signal.aborted) throw new Error('The subscription ended');
  } finally {
    unlink();
    await ahead.leave();
    await checkpoint.settled();
  }
};

/** The messages before the first event that cannot be decoded, may not be skipped, and was not skipped by an operator. */
const upToUnreadable = async (messages: readonly LogMessage[], isSkipped: IsSkipped) => {
  for (const [index, message] of messages.entries())
    if (message.kind === 'unreadable' && !message.maySkip && !(await isSkipped(message.event.id)))
      return { messages: messages.slice(0, index), unreadable: message };
  return { messages, unreadable: null };
};
