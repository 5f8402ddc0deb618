import type { Stamp } from './group.ts';

/**
 * Positions grow by more than the bytes of an event, like offsets in a log file, so that tests cannot mistake them for
 * a dense count. A restart leaves a larger gap.
 */
export const makeStamp = (
  newest: { readonly position: bigint; readonly created: bigint },
  firstPosition: bigint,
): Stamp => {
  let head = newest.position;
  let next = head === 0n ? firstPosition : head + restartGap;
  if (next < firstPosition) next = firstPosition;
  let created = newest.created;
  return {
    position: (bytes) => {
      head = next;
      next += BigInt(bytes + eventOverhead);
      return head;
    },
    created: () => {
      const now = ticksNow();
      if (now > created) created = now;
      return created;
    },
    head: () => head,
  };
};

const restartGap = 4096n;
const eventOverhead = 138;

/** 100-ns ticks since the Unix epoch, with digits below the millisecond like the real server. */
export const ticksNow = (): bigint =>
  BigInt(Date.now()) * 10_000n + ((process.hrtime.bigint() / 100n) % 10_000n);
