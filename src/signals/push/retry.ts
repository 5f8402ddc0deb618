const firstMs = 1_000;
const longestMs = 600_000;
const jitter = 0.2;

/** How long pushes of one SET fail before its stream is paused, in milliseconds: 72 hours. */
export const pausedAfterMs = 72 * 3_600_000;

/**
 * How long after a failure the same SET is pushed again, in milliseconds: 1, 2, 4, 8 seconds and so on up to ten minutes,
 * each up to a fifth shorter or longer, but never longer than that, so that SETs that failed together do not come back
 * together (SG-08).
 * @param failures how often it has failed by now, 1 or more
 * @param random from 0 to 1
 */
export const retryDelay = (failures: number, random: number): number => {
  const doubled = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.min(longestMs, doubled * (1 - jitter + 2 * jitter * random));
};
