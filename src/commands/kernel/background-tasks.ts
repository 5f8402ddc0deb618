/** Takes work that no answer waits for. Its failure is logged, and makes nothing else fail. */
export type RunInBackground = (work: Promise<unknown>) => void;

export type BackgroundTasks = {
  readonly inBackground: RunInBackground;
  readonly settled: () => Promise<void>;
};

type Log = { warn(fields: object, message: string): void };

export const makeBackgroundTasks = (logger: Log): BackgroundTasks => {
  const underWay = new Set<Promise<unknown>>();
  return {
    inBackground: (work) => {
      const done: Promise<unknown> = work
        .catch((err: unknown) => logger.warn({ err }, 'background task failed'))
        .finally(() => underWay.delete(done));
      underWay.add(done);
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
};
