/** Nothing was heard in time. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** The promise, or after `ms` a NoAnswer; the promise goes on and whatever becomes of it is ignored. */
export const withTimeout = <T>(ms: number, promise: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new NoAnswer(`no answer within ${Math.round(ms)} ms`)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
