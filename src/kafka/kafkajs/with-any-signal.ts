/**
 * Gives `use` a signal that is aborted when one of these is. By hand: of each AbortSignal.any, Node 20 keeps something with
 * the signals that live on, and this goes on for weeks.
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
