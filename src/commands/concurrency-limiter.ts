/** Lets only so many pieces of work run at once; the others wait in one of two lines. */
export type ConcurrencyLimiter = {
  /** Null when too many wait already: nothing is run. Who is `known` waits in a line of their own. */
  readonly take: <T>(work: () => Promise<T>, known?: boolean) => Promise<T> | null;
  /** How many wait, in both lines together. */
  readonly waiting: () => number;
};

/**
 * `waiting` for each line: a flood of strangers fills theirs and no other. Where both wait, they take turns, so that neither
 * keeps the other from going on.
 */
export const makeConcurrencyLimiter = (limits: {
  readonly atOnce: number;
  readonly waiting: number;
}): ConcurrencyLimiter => {
  const strangers: (() => void)[] = [];
  const known: (() => void)[] = [];
  let running = 0;
  let lastWasKnown = false;
  const begin = (isKnown: boolean): Promise<void> | null => {
    if (running < limits.atOnce) {
      running += 1;
      return Promise.resolve();
    }
    const line = isKnown ? known : strangers;
    return line.length < limits.waiting ? new Promise((resolve) => line.push(resolve)) : null;
  };
  /** Whoever waits takes over the place; it never looks free in between. */
  const end = () => {
    const fromKnown = known.length > 0 && (!lastWasKnown || strangers.length === 0);
    const next = (fromKnown ? known : strangers).shift();
    lastWasKnown = fromKnown;
    if (next) next();
    else running -= 1;
  };
  return {
    waiting: () => strangers.length + known.length,
    take: (work, isKnown = false) => begin(isKnown)?.then(work).finally(end) ?? null,
  };
};
