/** Computes something at most once every `ms` (of a clock that may be set back); calls in between get the newest result, or failure. */
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
