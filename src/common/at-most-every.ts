/**
 * Computes something at most once every `ms`. Calls in between get the newest result, or wait for the computation under
 * way. A failure counts as a result.
 * @param now in milliseconds; setting the clock back does not make a result last longer
 */
export const atMostEvery = <T>(
  ms: number,
  compute: () => Promise<T>,
  now: () => number,
): (() => Promise<T>) => {
  let begun = -Infinity;
  let isRunning = false;
  let newest: Promise<T> | undefined;
  return () => {
    if (newest && (isRunning || Math.abs(now() - begun) < ms)) return newest;
    begun = now();
    isRunning = true;
    newest = compute().finally(() => (isRunning = false));
    return newest;
  };
};
