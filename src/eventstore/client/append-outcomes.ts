import {
  AppendOutcomeUnknown,
  type EventStore,
  EventStoreUnavailable,
  type Outcomes,
  PersonalDataUnavailable,
} from '../event-store.ts';

const isOfStore = (error: unknown): boolean =>
  error instanceof AppendOutcomeUnknown ||
  (error instanceof EventStoreUnavailable && !(error instanceof PersonalDataUnavailable));

/** The same append, and when it was last answered, or not. A conflict is an answer. */
export const watchAppends = (append: EventStore['append']) => {
  let outcomes: Outcomes = { succeededAt: -Infinity, failedAt: -Infinity, error: undefined };
  return {
    outcomes: () => outcomes,
    append: async (...given: Parameters<EventStore['append']>) => {
      try {
        const result = await append(...given);
        outcomes = { ...outcomes, succeededAt: performance.now() };
        return result;
      } catch (error) {
        if (isOfStore(error)) outcomes = { ...outcomes, failedAt: performance.now(), error };
        throw error;
      }
    },
  };
};
