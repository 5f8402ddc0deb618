/**
 * The promise, unless it takes longer than `ms` or the signal is aborted: the promise goes on then, and whatever becomes of
 * it is ignored.
 */
export const withTimeout = <T>(ms: number, promise: Promise<T>, signal?: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(new Error('it was told to stop'));
    const timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} s`)), ms);
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    });
  });
