/** Lets only so many pieces of work run at once, and the others wait in the order in which they came. */
export type Turns = {
  /** Null when too many wait already: nothing is run. */
  readonly take: <T>(work: () => Promise<T>) => Promise<T> | null;
};

export const makeTurns = (limits: { readonly atOnce: number; readonly waiting: number }): Turns => {
  const queue: (() => void)[] = [];
  let running = 0;
  const begin = (): Promise<void> | null => {
    if (running < limits.atOnce) {
      running += 1;
      return Promise.resolve();
    }
    return queue.length < limits.waiting ? new Promise((resolve) => queue.push(resolve)) : null;
  };
  /** Whoever waits takes over the place; it never looks free in between. */
  const end = () => {
    const next = queue.shift();
    if (next) next();
    else running -= 1;
  };
  return {
    take: (work) => begin()?.then(work).finally(end) ?? null,
  };
};
