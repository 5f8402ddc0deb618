/** Where polls wait for something to be offered. In memory only: no connection, and no thread. */
export type PollPlaces = {
  /** From now on every notification of the stream is noticed. */
  take(streamId: string, waitMs: number): PollPlace;
  /** The stream has something new: a SET, another status, or it is gone. */
  wake(streamId: string): void;
  /** After an interruption, when anything may have been missed: a few at a time, because each reads the queue. */
  wakeAllGently(): void;
  /** Every place is over; a poll that comes later waits for a moment at most. */
  stop(): void;
  /** How many polls wait. */
  count(): number;
};

export type PollPlace = {
  /**
   * Resolves at once when there was a notification since the last call, else at the next one. Where too many polls of a
   * stream wait, the oldest is over.
   */
  next(): Promise<'woken' | 'over'>;
  /** Ends the wait: the client is gone, or the answer is decided. */
  leave(): void;
};

/** Several processes of one receiver may poll at once. */
const mostOfOneStream = 10;
/** While the service stops, a receiver that asks again at once must not spin. In milliseconds. */
const waitWhileStopping = 1_000;
const gently = { places: 100, everyMs: 50 };

type Waiter = PollPlace & { readonly wake: () => void; readonly isWaiting: () => boolean };

export const makePollPlaces = (): PollPlaces => {
  const byStream = new Map<string, Set<Waiter>>();
  const passing = new Set<NodeJS.Timeout>();
  let count = 0;
  let isStopping = false;

  const wakeAllIn = (streamIds: readonly string[]) => {
    for (const streamId of streamIds.slice(0, gently.places)) wake(streamId);
    const rest = streamIds.slice(gently.places);
    if (rest.length === 0 || isStopping) return;
    const timer = setTimeout(() => {
      passing.delete(timer);
      wakeAllIn(rest);
    }, gently.everyMs);
    passing.add(timer);
  };
  const wake = (streamId: string) => {
    for (const waiter of byStream.get(streamId) ?? []) waiter.wake();
  };
  return {
    take(streamId, waitMs) {
      const waiters = byStream.get(streamId) ?? new Set();
      byStream.set(streamId, waiters);
      const makeRoom = () => {
        const waiting = [...waiters].filter(({ isWaiting }) => isWaiting());
        if (waiting.length >= mostOfOneStream) waiting[0]?.leave();
      };
      const left = () => {
        count -= 1;
        waiters.delete(waiter);
        if (waiters.size === 0) byStream.delete(streamId);
      };
      const waiter = makeWaiter(isStopping ? Math.min(waitMs, waitWhileStopping) : waitMs, makeRoom, left);
      waiters.add(waiter);
      count += 1;
      return waiter;
    },
    wake,
    wakeAllGently: () => wakeAllIn([...byStream.keys()]),
    stop() {
      isStopping = true;
      for (const timer of passing) clearTimeout(timer);
      for (const waiters of [...byStream.values()]) for (const waiter of [...waiters]) waiter.leave();
    },
    count: () => count,
  };
};

const makeWaiter = (waitMs: number, makeRoom: () => void, left: () => void): Waiter => {
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
    isWaiting: () => told !== null,
    wake() {
      if (state === 'quiet') state = 'woken';
      tell();
    },
    async next() {
      if (state === 'quiet') {
        makeRoom();
        await new Promise<void>((resolve) => (told = resolve));
      }
      if (state === 'over') return 'over';
      state = 'quiet';
      return 'woken';
    },
  };
};
