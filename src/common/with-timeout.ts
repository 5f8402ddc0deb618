export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** Settles as the promise does, rejects with NoAnswer after `ms`, or when the signal is aborted. The work is not stopped. */
export const withTimeout = <T>(ms: number, promise: Promise<T>, signal?: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(new Error('it was asked to stop'));
    const timer = setTimeout(() => reject(new NoAnswer(`no answer within ${Math.round(ms)} ms`)), ms);
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    });
  });

/** The result, or null when the promise rejects or takes longer than `ms`: for optional data. */
export const withTimeoutOrNull = <T>(ms: number, promise: Promise<T>): Promise<T | null> =>
  withTimeout(ms, promise).catch(() => null);
