import { monotonicFactory } from 'ulid';
import type { Instant } from '../../domain/kernel/decision.ts';

/** Makes ULIDs that increase even within one millisecond: our own ids contain no dash and sort by creation time. */
export const makeNewId = (now: () => Instant): (() => string) => {
  const next = monotonicFactory();
  return () => next(now());
};
