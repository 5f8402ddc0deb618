import { monotonicFactory } from 'ulid';
import type { Instant } from '../domain/decision.ts';

/** Makes ULIDs that grow even within one millisecond: ids of our own hold no dash and sort by the time they were made. */
export const makeNewId = (now: () => Instant): (() => string) => {
  const next = monotonicFactory();
  return () => next(now());
};
