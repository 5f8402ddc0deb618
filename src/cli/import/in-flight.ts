/**
 * Runs jobs side by side, at most `limit` at once; jobs with the same key one after the other, in the order they came.
 * `start` resolves when the job has its place, so that a fast producer is held back; it rejects once a job failed.
 */
export const makeInFlight = (limit: number) => {
  const lastOfKey = new Map<string, Promise<void>>();
  let running = 0;
  let wake: () => void = () => undefined;
  let failure: { readonly cause: unknown } | undefined;

  const belowOrFailed = async (count: number) => {
    while (running > count) await new Promise<void>((resolve) => (wake = resolve));
    if (failure !== undefined) throw failure.cause;
  };

  const run = async (before: Promise<void> | undefined, job: () => Promise<void>) => {
    await before;
    try {
      if (failure === undefined) await job();
    } catch (cause) {
      failure ??= { cause };
    }
    running -= 1;
    wake();
  };

  return {
    /** One producer at a time. */
    async start(key: string, job: () => Promise<void>): Promise<void> {
      await belowOrFailed(limit - 1);
      running += 1;
      const done = run(lastOfKey.get(key), job).then(() => {
        if (lastOfKey.get(key) === done) lastOfKey.delete(key);
      });
      lastOfKey.set(key, done);
    },
    /** Waits for everything that was started, then throws what the first failed job threw. */
    drain: () => belowOrFailed(0),
  };
};
