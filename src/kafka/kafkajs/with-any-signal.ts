/**
 * Passes `use` a signal that is aborted when any of these is. AbortSignal.any is not used: on Node 20 each call leaks
 * memory in the long-lived source signals, and this process runs for weeks.
 */
export const withAnySignal = async <T>(
  signals: readonly AbortSignal[],
  use: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const either = new AbortController();
  const abort = () => either.abort();
  for (const signal of signals) signal.addEventListener('abort', abort);
  if (signals.some(({ aborted }) => aborted)) abort();
  try {
    return await use(either.signal);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  }
};
