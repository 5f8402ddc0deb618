/**
 * Computes something no more than once a second, however often it is asked for; whoever asks meanwhile gets the newest
 * result, or waits for the one that is being computed. A failure counts as a result.
 * @param now in milliseconds; a clock that is set back makes no result last longer
 */
export const atMostOnceASecond = <T>(compute: () => Promise<T>, now: () => number): (() => Promise<T>) => {
  let begun = -Infinity;
  let isRunning = false;
  let newest: Promise<T> | undefined;
  return () => {
    if (newest && (isRunning || Math.abs(now() - begun) < 1_000)) return newest;
    begun = now();
    isRunning = true;
    newest = compute().finally(() => (isRunning = false));
    return newest;
  };
};
