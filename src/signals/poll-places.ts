export type PollPlace = {
  /** Resolves at once when there was a notification since the last call, else at the next one. */
  next(): Promise<'woken' | 'over'>;
  /** Ends the wait: the client is gone, or the answer is decided. */
  readonly leave: () => void;
};

/** While the service stops, a receiver that asks again at once must not spin. In milliseconds. */
const waitWhileStopping = 1_000;
const gently = { places: 100, everyMs: 50 };

type Waiter = PollPlace & { readonly wake: () => void };

/** Where polls wait for something to be offered. In memory only: no connection, and no thread. */
export const makePollPlaces = () => {
  const byReceiver = new Map<string, Set<Waiter>>();
  const passing = new Set<NodeJS.Timeout>();
  let count = 0;
  let isStopping = false;

  const wakeAllIn = (receivers: readonly string[]) => {
    for (const receiver of receivers.slice(0, gently.places)) wake(receiver);
    const rest = receivers.slice(gently.places);
    if (rest.length === 0 || isStopping) return;
    const timer = setTimeout(() => {
      passing.delete(timer);
      wakeAllIn(rest);
    }, gently.everyMs);
    passing.add(timer);
  };
  const wake = (receiver: string) => {
    for (const waiter of byReceiver.get(receiver) ?? []) waiter.wake();
  };
  return {
    /** From now on every notification of the receiver is noticed. @param receiver the id of the add-on: it has one stream */
    take(receiver: string, waitMs: number) {
      const waiters = byReceiver.get(receiver) ?? new Set();
      byReceiver.set(receiver, waiters);
      const left = () => {
        count -= 1;
        waiters.delete(waiter);
        if (waiters.size === 0) byReceiver.delete(receiver);
      };
      const waiter = makeWaiter(isStopping ? Math.min(waitMs, waitWhileStopping) : waitMs, left);
      waiters.add(waiter);
      count += 1;
      return waiter;
    },
    /** Its stream has something new: a SET, another status, or it is gone. */
    wake,
    /** After an interruption, when anything may have been missed: a few at a time, because each reads the queue. */
    wakeAllGently: () => wakeAllIn([...byReceiver.keys()]),
    /** Every place is over; a poll that comes later waits for a moment at most. */
    stop: () => {
      isStopping = true;
      for (const timer of passing) clearTimeout(timer);
      for (const waiters of byReceiver.values()) for (const waiter of waiters) waiter.leave();
    },
    count: () => count,
  };
};

export type PollPlaces = ReturnType<typeof makePollPlaces>;

const makeWaiter = (waitMs: number, left: () => void): Waiter => {
  let state: 'quiet' | 'woken' | 'over' = 'quiet';
  let told: (() => void) | null = null;
  const tell = () => {
    told?.();
    told = null;
  };
  const leave = () => {
    if (state === 'over') return;
    state = 'over';
    clearTimeout(timer);
    left();
    tell();
  };
  const timer = setTimeout(leave, waitMs);
  return {
    leave,
    wake() {
      if (state === 'quiet') state = 'woken';
      tell();
    },
    async next() {
      if (state === 'quiet') await new Promise<void>((resolve) => (told = resolve));
      if (state === 'over') return 'over';
      state = 'quiet';
      return 'woken';
    },
  };
};
