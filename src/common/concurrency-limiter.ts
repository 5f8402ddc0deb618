/** Lets only so many pieces of work run at once; the others wait in one of two lines, each in the order in which they came. */
export type ConcurrencyLimiter = {
  /** However many wait already. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
  /** Null when too many wait already: nothing is run. Who is `known` waits in a line of their own. */
  readonly take: <T>(work: () => Promise<T>, known?: boolean) => Promise<T> | null;
  /** How many wait, in both lines together. */
  readonly waiting: () => number;
};

/**
 * `waiting` for each line: a flood of strangers fills theirs and no other. Where both wait, they take turns, so that neither
 * keeps the other from going on. No library refuses one line and still serves the other.
 */
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
  /** Whoever waits takes over the place; it never looks free in between. */
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
