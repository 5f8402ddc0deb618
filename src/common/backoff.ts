/** Growing waits between tries: doubled each time up to `most`, each shortened by up to half at random. */
export type Backoff = { readonly next: () => number; readonly reset: () => void };

export const makeBackoff = (first: number, most: number, random: () => number = Math.random): Backoff => {
  let wait = first;
  return {
    next: () => {
      const now = wait * (1 - random() / 2);
      wait = Math.min(most, wait * 2);
      return now;
    },
    reset: () => {
      wait = first;
    },
  };
};

/** Resolves after the wait, or at once when the signal aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
