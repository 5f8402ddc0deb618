import type { AskGossip } from './ask-gossip.ts';
import { pause } from '../common/backoff.ts';
import type { Logger } from './logger.ts';

/** Who leads a cluster, as most of the nodes that answer say. */
export type LeaderWatch = {
  /** `host:port`; waits for the first one, and while nobody leads for a moment. Null when nobody is heard of. */
  leader(): Promise<string | null>;
  close(): void;
};

type Dependencies = {
  /** Of the connection string, `host:port`. */
  readonly seeds: readonly string[];
  readonly gossip: AskGossip;
  readonly logger: Logger;
  /** Told when another one than before leads. */
  readonly changed: (leader: string) => void;
};

/** Between two questions to one node, and the longest for an answer. */
const everyMs = 250;
const answerMs = 1_000;
/** How long a call waits for the end of an election before it goes to whom it knows. */
const electionMs = 1_000;

/**
 * Asks each node by itself, so that none that is silent delays what the others say. A single name stands for all nodes of a cluster: its
 * members are asked, too.
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
    logger.warn({ leader: elected, before }, 'event store: another node leads');
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

/** Whom more than half of those who answered name. */
const majorityOf = (votes: readonly (string | null)[]): string | null => {
  const counts = new Map<string, number>();
  for (const vote of votes) if (vote !== null) counts.set(vote, (counts.get(vote) ?? 0) + 1);
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a);
  return first && first[1] * 2 > votes.length ? first[0] : null;
};
