import type { AskGossip } from './ask-gossip.ts';
import { pause } from '../common/backoff.ts';
import type { Logger } from './logger.ts';

/** The leader of a cluster, as the majority of the answering nodes report it. */
export type LeaderWatch = {
  /** `host:port`; waits a moment for the first answer and during an election. Null when no leader is known. */
  leader(): Promise<string | null>;
  close(): void;
};

type Dependencies = {
  /** The hosts of the connection string, `host:port`. */
  readonly seeds: readonly string[];
  readonly gossip: AskGossip;
  readonly logger: Logger;
  /** Called when the leader has changed. */
  readonly changed: (leader: string) => void;
};

/** The interval between queries to one node, and the time limit of an answer. */
const everyMs = 250;
const answerMs = 1_000;
/** How long a call waits for the end of an election before it uses the last known leader. */
const electionMs = 1_000;

/**
 * Queries each node separately, so that a silent node does not delay the others. A single host name may stand for the
 * whole cluster, so its members are queried, too.
 */
export const watchLeader = ({ seeds, gossip, logger, changed }: Dependencies): LeaderWatch => {
  const closing = new AbortController();
  const votes = new Map<string, string | null>();
  const asked = new Set<string>();
  const waiting = new Set<() => void>();
  let known: string | null = null;
  let isElecting = true;

  const count = (): void => {
    const elected = majorityOf([...votes.values()]);
    isElecting = elected === null;
    if (elected === null) return;
    const before = known;
    known = elected;
    for (const wake of waiting) wake();
    if (before === null || before === elected) return;
    logger.warn({ leader: elected, before }, 'event store: the leader has changed');
    changed(elected);
  };
  const follow = async (address: string): Promise<void> => {
    if (asked.has(address)) return;
    asked.add(address);
    while (!closing.signal.aborted) {
      try {
        const { leader, members } = await gossip.ask(address, answerMs);
        votes.set(address, leader);
        if (seeds.length === 1) for (const member of members) void follow(member);
      } catch {
        votes.delete(address);
      }
      if (!closing.signal.aborted) count();
      await pause(everyMs, closing.signal);
    }
  };
  for (const seed of seeds) void follow(seed);

  return {
    async leader() {
      if (!isElecting) return known;
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        };
        const timer = setTimeout(done, electionMs);
        waiting.add(done);
        closing.signal.addEventListener('abort', done, { once: true });
      });
      return known;
    },
    close() {
      closing.abort();
      gossip.close();
    },
  };
};

/** The leader that more than half of the answering nodes report. */
const majorityOf = (votes: readonly (string | null)[]): string | null => {
  const counts = new Map<string, number>();
  for (const vote of votes) if (vote !== null) counts.set(vote, (counts.get(vote) ?? 0) + 1);
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a);
  return first && first[1] * 2 > votes.length ? first[0] : null;
};
