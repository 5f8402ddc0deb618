import type { EventType } from '../../domain/events.ts';
import type { LogSubscriptions, Position } from '../../eventstore/event-store.ts';
import { linkAbort } from '../../common/linked-abort.ts';
import type { ReadProgress } from './progress.ts';

export type CatchUpDependencies = {
  readonly log: LogSubscriptions;
  readonly progress: Pick<ReadProgress, 'checkpoint' | 'waitFor'>;
};

/**
 * Resolves once the read models have applied every event of these types that was in the log when this was called.
 * Waiting for the log's head would be wrong: that event may be of a type that no read model reads.
 * @throws the signal's reason when it is aborted before
 */
export const catchUpOn = async (
  dependencies: CatchUpDependencies,
  eventTypes: readonly EventType[],
  signal: AbortSignal,
): Promise<void> => {
  const newest = await newestBehindCheckpoint(dependencies, eventTypes, signal);
  if (newest !== null) await untilHeld(dependencies.progress, newest, signal);
};

/**
 * Waits until the read models have applied everything up to a position, for as long as it takes. @throws the signal's
 * reason
 */
export const untilHeld = async (
  progress: Pick<ReadProgress, 'waitFor'>,
  position: Position,
  signal: AbortSignal,
): Promise<void> => {
  do signal.throwIfAborted();
  while (!(await progress.waitFor(position, 1000, signal)));
};

const newestBehindCheckpoint = async (
  { log, progress }: CatchUpDependencies,
  eventTypes: readonly EventType[],
  signal: AbortSignal,
): Promise<Position | null> => {
  const after = await progress.checkpoint();
  const leaving = linkAbort(signal);
  let newest: Position | null = null;
  try {
    const messages = log.subscribe({ after, eventTypes, unreadable: 'deliver', signal: leaving.signal });
    for await (const message of messages) {
      if (message.kind === 'event' || message.kind === 'unreadable') newest = message.event.position;
      if (message.kind === 'caught-up') return newest;
    }
  } finally {
    leaving.abort();
    leaving.unlink();
  }
  signal.throwIfAborted();
  throw new Error('The subscription ended before it had caught up');
};
