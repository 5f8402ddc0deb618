import { AppendOutcomeUnknown } from '../eventstore/event-store.ts';

/**
 * Runs a command again, once, when its append ended without a word (TC-14). The second run must read the stream: what
 * it decides there tells whether the first one arrived. Should it arrive only later, the expected revision arbitrates.
 * @throws AppendOutcomeUnknown when the second append ends the same way
 */
export const retryUnknownOutcome = async <T>(run: (attempt: 'first' | 'again') => Promise<T>): Promise<T> => {
  try {
    return await run('first');
  } catch (error) {
    if (!(error instanceof AppendOutcomeUnknown)) throw error;
    return run('again');
  }
};
