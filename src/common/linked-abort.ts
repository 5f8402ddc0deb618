/**
 * Used in place of `AbortSignal.any`, because Node 20 keeps memory for each call as long as a source signal lives. Here work is
 * repeated for weeks (a subscription, a term as leader, a poll) under a signal that is aborted once.
 */
export const linkAbort = (...others: readonly AbortSignal[]) => {
  const linked = new AbortController();
  const listeners = others.map((other) => ({ other, abort: () => linked.abort(other.reason) }));
  for (const { other, abort } of listeners) {
    if (other.aborted) abort();
    else other.addEventListener('abort', abort);
  }
  return {
    signal: linked.signal,
    abort: (reason?: unknown) => linked.abort(reason),
    /** Removes our listeners from the others. Whoever links calls it when the work is over, however it ended. */
    unlink: () => {
      for (const { other, abort } of listeners) other.removeEventListener('abort', abort);
    },
  };
};

/** Delivers under a signal that is aborted when any of the others is; unlinks it at the end, also when the consumer stops early. */
export async function* underAny<T>(
  others: readonly AbortSignal[],
  deliver: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const linked = linkAbort(...others);
  try {
    yield* deliver(linked.signal);
  } finally {
    linked.unlink();
  }
}

/** Waits for the work, or until `signal` is aborted: then undefined. A later failure of abandoned work is ignored. */
export const raceAbort = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> => {
  let leave = () => {};
  const aborted = new Promise<undefined>((resolve) => (leave = () => resolve(undefined)));
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  try {
    return await Promise.race([work, aborted]);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
};
