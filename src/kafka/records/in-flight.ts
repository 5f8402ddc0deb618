type Job = () => Promise<void>;

/**
 * At most `limit` jobs at once, those of a key in order. `start` returns a promise for when half are done: jobs that begin together
 * are stored together, for half the cost.
 */
export const makeInFlight = (limit: number) => {
  /** The keys of running jobs, and the jobs that wait for each. */
  const behind = new Map<string, Job[] | null>();
  let unfinished = 0;
  let wake: () => void = () => undefined;
  let failure: { readonly cause: unknown } | undefined;

  const run = async (key: string, job: Job): Promise<void> => {
    try {
      if (failure === undefined) await job();
    } catch (cause) {
      failure ??= { cause };
    }
    const next = behind.get(key)?.shift();
    if (next === undefined) behind.delete(key);
    else void run(key, next);
    unfinished -= 1;
    wake();
  };

  const downTo = async (count: number): Promise<void> => {
    while (unfinished > count) await new Promise<void>((resolve) => (wake = resolve));
    if (failure !== undefined) throw failure.cause;
  };

  return {
    /** @returns undefined as long as there is room; otherwise a promise to await: it rejects once a job failed */
    start(key: string, job: Job): Promise<void> | undefined {
      unfinished += 1;
      const waiting = behind.get(key);
      if (waiting === undefined) {
        behind.set(key, null);
        void run(key, job);
      } else if (waiting === null) behind.set(key, [job]);
      else waiting.push(job);
      return unfinished >= limit || failure !== undefined ? downTo(Math.floor(limit / 2)) : undefined;
    },
    /** Waits for everything that was started, then throws what the first failed job threw. */
    drain: (): Promise<void> => downTo(0),
  };
};
