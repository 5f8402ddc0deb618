/** A signal that is aborted with any of others, until it is let go. */
export type LinkedAbort = {
  readonly signal: AbortSignal;
  /** Aborts the signal alone. */
  readonly abort: (reason?: unknown) => void;
  /** Takes our listeners from the others: whoever links calls it when the work is over, however that ended. */
  readonly unlink: () => void;
};

/**
 * In place of `AbortSignal.any`, of which Node 20 keeps something with each signal that lives on: for a subscription, a term or a
 * look that comes again for weeks, under a signal that is aborted once.
 */
export const linkAbort = (...others: readonly AbortSignal[]): LinkedAbort => {
  const linked = new AbortController();
  const listeners = others.map((other) => ({ other, abort: () => linked.abort(other.reason) }));
  for (const { other, abort } of listeners) {
    if (other.aborted) abort();
    else other.addEventListener('abort', abort);
  }
  return {
    signal: linked.signal,
    abort: (reason) => linked.abort(reason),
    unlink: () => {
      for (const { other, abort } of listeners) other.removeEventListener('abort', abort);
    },
  };
};

/** What is delivered under a signal that is aborted with any of the others; they are let go at its end, or when it is left. */
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
