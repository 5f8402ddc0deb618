/** Limits how many tasks run at once. The others wait in one of two queues, each first come, first served. */
export type ConcurrencyLimiter = {
  /** Waits, however long the queue is. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
  /** Null when the queue is full: nothing is run. Tasks of `known` users wait in a queue of their own. */
  readonly take: <T>(work: () => Promise<T>, known?: boolean) => Promise<T> | null;
  readonly waiting: () => number;
};

/** `waiting` limits each queue: a flood of strangers fills only their own. When both hold tasks, they take turns. */
export const makeConcurrencyLimiter = (limits: {
  readonly atOnce: number;
  readonly waiting?: number;
}): ConcurrencyLimiter => {
  const { atOnce, waiting: mostWaiting = Infinity } = limits;
  const strangers: (() => void)[] = [];
  const known: (() => void)[] = [];
  let running = 0;
  let lastWasKnown = false;
  const begin = (line: (() => void)[]): Promise<void> => {
    if (running >= atOnce) return new Promise((resolve) => line.push(resolve));
    running += 1;
    return Promise.resolve();
  };
  /** The next task takes the slot over directly; it is never counted as free in between. */
  const end = () => {
    const fromKnown = known.length > 0 && (!lastWasKnown || strangers.length === 0);
    const next = (fromKnown ? known : strangers).shift();
    lastWasKnown = fromKnown;
    if (next) next();
    else running -= 1;
  };
  const runIn = <T>(line: (() => void)[], work: () => Promise<T>): Promise<T> =>
    begin(line).then(work).finally(end);
  return {
    run: (work) => runIn(strangers, work),
    take: (work, isKnown = false) => {
      const line = isKnown ? known : strangers;
      return running >= atOnce && line.length >= mostWaiting ? null : runIn(line, work);
    },
    waiting: () => strangers.length + known.length,
  };
};
