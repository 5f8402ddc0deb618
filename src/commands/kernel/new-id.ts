import { monotonicFactory } from 'ulid';
import { drawBytes } from '../../common/random.ts';
import type { Instant } from '../../domain/kernel/decision.ts';

/** Makes ULIDs that increase even within one millisecond: our own ids contain no dash and sort by creation time. */
export const makeNewId = (now: () => Instant): (() => string) => {
  const next = monotonicFactory(drawFraction);
  return () => next(now());
};

/** From 0 up to 1, for one character. */
const drawFraction = (): number => drawBytes(1).readUInt8() / 256;
