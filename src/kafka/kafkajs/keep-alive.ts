/**
 * Keeps the membership while batches are being handled, however long that takes, and tells them when it is lost.
 */
export type KeepAlive = {
  /** Aborted when the partitions may belong to another member now. */
  signal(): AbortSignal;
  /** Sends heartbeats until the work has ended. */
  during<T>(heartbeat: () => Promise<void>, work: Promise<T>): Promise<T>;
  joined(): void;
  lost(): void;
};

type Dependencies = {
  readonly heartbeatMs: number;
  readonly sessionMs: number;
  /** No heartbeat was answered for so long. Nothing says when, or whether, the partitions are ours again: join anew. */
  readonly silence: () => void;
};

/** The broker's answers that mean: whoever asks is no member of this round of the group. */
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
