import type { DomainEvent } from '../../domain/events.ts';
import { AppendOutcomeUnknown, EventStoreUnavailable } from '../../eventstore/event-store.ts';
import type { Attempts } from './handle.ts';

/**
 * Runs a command again, once, when its append's outcome is unknown (TC-14): the second run reads the stream, and revisions arbitrate.
 * @throws AppendOutcomeUnknown when it is unknown again, or the event store is unavailable
 */
export const retryUnknownOutcome = async <T>(run: (attempt: 'first' | 'again') => Promise<T>): Promise<T> => {
  try {
    return await run('first');
  } catch (error) {
    if (!(error instanceof AppendOutcomeUnknown)) throw error;
    return run('again').catch((cause: unknown) => {
      throw cause instanceof EventStoreUnavailable ? error : cause; // the first append may be written
    });
  }
};

/** The same for a command that calls the steps of `handle` itself: the second run is its next attempt. */
export const retryingUnknownOutcome = <S, E extends DomainEvent>(
  attempts: Attempts<S, E>,
): Attempts<S, E> => {
  let unknown: AppendOutcomeUnknown | undefined;
  const rethrow = (cause: unknown): never => {
    throw cause instanceof EventStoreUnavailable ? (unknown ?? cause) : cause;
  };
  return {
    load: () => attempts.load().catch(rethrow),
    append: (decision, isFinal) =>
      attempts.append(decision, isFinal).catch((error: unknown) => {
        if (unknown || !(error instanceof AppendOutcomeUnknown)) return rethrow(error);
        unknown = error;
        return null;
      }),
  };
};
