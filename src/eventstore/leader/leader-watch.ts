import { setMaxListeners } from 'node:events';
import type { AskGossip, Gossip } from './ask-gossip.ts';
import { pause } from '../../common/backoff.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import { electedBy, knownAfter } from './elect-leader.ts';
import { EventStoreUnavailable } from '../event-store.ts';
import type { Logger } from '../logger.ts';

/** The leader of a cluster: the one that most of all known members name, or the last one until they name another. */
export type LeaderWatch = {
  /** `host:port`; waits a moment for the first majority and during an election. @throws EventStoreUnavailable if none was ever named */
  leader(): Promise<string>;
  /** Resolves when most of all known members, asked now, name one leader; it is the leader from then on. @throws EventStoreUnavailable */
  confirm(): Promise<void>;
  close(): void;
};

type Dependencies = {
  /** The hosts of the connection string, `host:port`. */
  readonly seeds: readonly string[];
  readonly gossip: AskGossip;
  readonly logger: Logger;
  readonly changed: (leader: string) => void;
};

/** The pause after a query to one node, which begins at the latest as long after it, and the time limit of an answer. */
const everyMs = 250;
const answerMs = 1_000;
/** How long a call waits for the end of an election before it uses the last known leader. */
const electionMs = 1_000;

/**
 * Queries each node separately, so that a silent node does not delay the others. A single host name may stand for the
 * whole cluster, so the members that the nodes list are queried, too.
 */
export const watchLeader = ({ seeds, gossip, logger, changed }: Dependencies): LeaderWatch => {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // one for each waiting call
  const views = new Map<string, Gossip>();
  const asked = new Set<string>();
  const waiting = new Set<() => void>();
  let known: ReadonlySet<string> = new Set(seeds);
  let current: string | null = null;
  let isElecting = true;

  const take = (elected: string): void => {
    const before = current;
    current = elected;
    for (const wake of waiting) wake();
    if (before === null || before === elected) return;
    logger.warn({ leader: elected, before }, 'event store: the leader has changed');
    changed(elected);
  };
  const count = (): void => {
    known = knownAfter({ seeds, known }, views);
    for (const member of known) void follow(member);
    const elected = electedBy(known, views);
    isElecting = elected === null;
    if (elected !== null) take(elected);
  };
  const isFollowed = (address: string): boolean =>
    !closing.signal.aborted && (known.has(address) || seeds.includes(address));
  const follow = async (address: string): Promise<void> => {
    if (asked.has(address)) return;
    asked.add(address);
    let [sent, taken] = [0, 0];
    const query = async (): Promise<void> => {
      const number = (sent += 1);
      const view = await gossip.ask(address, answerMs).catch(() => null);
      if (number < taken) return; // a later query was answered before
      taken = number;
      if (view) views.set(address, view);
      else views.delete(address);
      if (!closing.signal.aborted) count();
    };
    while (isFollowed(address)) {
      // One that is lost in an election must not delay the news of its end (FX-105).
      await withTimeoutOrNull(everyMs, query());
      await pause(everyMs, closing.signal);
    }
    taken = Infinity;
    views.delete(address);
    asked.delete(address);
  };
  for (const seed of seeds) void follow(seed);

  /** Asks all known members at once, and stops waiting as soon as most of them agree. */
  const askAll = (): Promise<string | null> =>
    new Promise((resolve) => {
      const fresh = new Map<string, Gossip>();
      const members = known;
      const answers = [...members].map(async (address) => {
        const view = await gossip.ask(address, answerMs).catch(() => null);
        if (view) fresh.set(address, view);
        const elected = electedBy(members, fresh);
        if (elected !== null) resolve(elected);
      });
      void Promise.all(answers).then(() => resolve(null));
    });

  return {
    async leader() {
      if (isElecting)
        await new Promise<void>((resolve) => {
          const done = (): void => {
            clearTimeout(timer);
            waiting.delete(done);
            closing.signal.removeEventListener('abort', done);
            resolve();
          };
          const timer = setTimeout(done, electionMs);
          waiting.add(done);
          closing.signal.addEventListener('abort', done, { once: true });
        });
      if (current === null) throw unconfirmed();
      return current;
    },
    async confirm() {
      const elected = await askAll();
      if (elected === null) throw unconfirmed();
      take(elected);
    },
    close() {
      closing.abort();
      gossip.close();
    },
  };
};

const unconfirmed = (): EventStoreUnavailable =>
  new EventStoreUnavailable('most members of the event store do not name the same leader');
