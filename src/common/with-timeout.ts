/** Nothing was heard in time. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/**
 * The promise, or after `ms` a NoAnswer; an Error as soon as the signal is aborted. The promise goes on then, and whatever becomes
 * of it is ignored.
 */
export const withTimeout = <T>(ms: number, promise: Promise<T>, signal?: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(new Error('it was told to stop'));
    const timer = setTimeout(() => reject(new NoAnswer(`no answer within ${Math.round(ms)} ms`)), ms);
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    });
  });

/** What a promise holds, or null when it fails or takes longer: for what can be done without. */
export const withTimeoutOrNull = <T>(ms: number, promise: Promise<T>): Promise<T | null> =>
  withTimeout(ms, promise).catch(() => null);
