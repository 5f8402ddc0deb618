/** Keeps the membership alive while batches are handled, however long that takes, and aborts them when it is lost. */
export type KeepAlive = {
  /** Aborted when the partitions may belong to another member. */
  signal(): AbortSignal;
  during<T>(heartbeat: () => Promise<void>, work: Promise<T>): Promise<T>;
  joined(): void;
  lost(): void;
};

type Dependencies = {
  readonly heartbeatMs: number;
  readonly sessionMs: number;
  /** No heartbeat was answered for too long: whether the partitions are ours is unknown, so the member must rejoin. */
  readonly silence: () => void;
};

/** The broker's errors for a member that is not part of the group's current generation. */
const outs = [
  'REBALANCE_IN_PROGRESS',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
  'NOT_COORDINATOR_FOR_GROUP',
  'FENCED_INSTANCE_ID',
];

export const isOut = (error: unknown): boolean => outs.includes((error as { type?: string }).type ?? '');

export const makeKeepAlive = ({ heartbeatMs, sessionMs, silence }: Dependencies): KeepAlive => {
  let round = new AbortController();
  const lost = () => round.abort();
  return {
    signal: () => round.signal,
    joined: () => {
      if (round.signal.aborted) round = new AbortController();
    },
    lost,
    during: async (heartbeat, work) => {
      let heard = Date.now();
      const beat = () =>
        heartbeat().then(
          () => (heard = Date.now()),
          (error: unknown) => {
            if (isOut(error)) return lost();
            if (Date.now() - heard <= sessionMs) return;
            lost();
            silence();
          },
        );
      const timer = setInterval(() => void beat(), heartbeatMs);
      try {
        return await work;
      } finally {
        clearInterval(timer);
      }
    },
  };
};
