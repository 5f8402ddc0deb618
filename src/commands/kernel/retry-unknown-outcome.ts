import { AppendOutcomeUnknown, EventStoreUnavailable } from '../../eventstore/event-store.ts';

/**
 * Runs a command again, once, when the outcome of its append is unknown (TC-14). The second run must read the stream:
 * its decision shows whether the first append succeeded. If that one succeeds only later, the expected revision
 * arbitrates.
 * @throws AppendOutcomeUnknown when the outcome of the second append is unknown too, or the event store is unavailable
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
