import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Instant } from '../../domain/kernel/decision.ts';

/** Makes ULIDs that increase even within one millisecond: our own ids contain no dash and sort by creation time. */
export const makeNewId = (now: () => Instant): (() => string) => {
  const next = monotonicFactory(makeRandom());
  return () => next(now());
};

/** Numbers from 0 up to 1, one of which makes one character: drawn in blocks, because each draw is a call. */
const makeRandom = (): (() => number) => {
  const drawn = Buffer.alloc(512);
  let at = drawn.length;
  return () => {
    if (at === drawn.length) {
      randomFillSync(drawn);
      at = 0;
    }
    return (drawn[at++] ?? 0) / 256;
  };
};
