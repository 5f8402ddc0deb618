import type { Stored } from './record.ts';

/** Notifies one waiting reader; a notification between two waits is not lost. */
export type Watch = {
  /** Resolves at once if something was committed since the last call. */
  next(): Promise<void>;
  close(): void;
};

/**
 * Commit notifications within the process, and a cache of the newest part of the log, so that live subscribers do not
 * query Postgres.
 */
export type Commits = {
  publish(events: readonly Stored[]): void;
  /** Clears the cache after a commit with an unknown outcome: readers then query the database. */
  forget(): void;
  watch(stream: string | null): Watch;
  /** Events strictly after `position`, or null if the cache does not reach back that far. */
  after(position: bigint, limit: number): Stored[] | null;
  /** Position of the newest committed event; 0 in an empty log. */
  head(): bigint;
  wakeAll(): void;
};

const memoryBytes = 16 * 1024 * 1024;
const memoryEvents = 16_384;

export const makeCommits = (newest: bigint): Commits => {
  let head = newest;
  /** All events after this position are in `tail`. */
  let reach = newest;
  let tail: Stored[] = [];
  let bytes = 0;
  const watches = new Map<string | null, Set<() => void>>();

  const wake = (stream: string | null): void => watches.get(stream)?.forEach((ring) => ring());

  const trim = (): void => {
    if (tail.length <= memoryEvents && bytes <= memoryBytes) return;
    const kept = tail.slice(tail.length >> 1);
    reach = tail[tail.length - kept.length - 1]?.position ?? reach;
    tail = kept;
    bytes = kept.reduce((sum, event) => sum + sizeOf(event), 0);
  };

  return {
    publish: (events) => {
      if (reach === noReach) reach = (events[0]?.position ?? noReach) - 1n;
      for (const event of events) {
        tail.push(event);
        bytes += sizeOf(event);
        head = event.position;
      }
      trim();
      for (const stream of new Set(events.map((event) => event.stream))) wake(stream);
      wake(null);
    },
    forget: () => {
      tail = [];
      bytes = 0;
      reach = noReach;
    },
    watch: (stream) => watchOn(watches, stream),
    after: (position, limit) => {
      if (position < reach) return null;
      const start = firstAfter(tail, position);
      return tail.slice(start, start + limit);
    },
    head: () => head,
    wakeAll: () => {
      for (const stream of watches.keys()) wake(stream);
    },
  };
};

/** After an unknown outcome, only events of later commits may be served from the cache. */
const noReach = (1n << 64n) - 1n;

const sizeOf = ({ data, metadata }: Stored): number => data.length + metadata.length + 300;

const firstAfter = (events: readonly Stored[], position: bigint): number => {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.position ?? 0n) > position) high = middle;
    else low = middle + 1;
  }
  return low;
};

const watchOn = (watches: Map<string | null, Set<() => void>>, stream: string | null): Watch => {
  let rung = false;
  let resolve: (() => void) | undefined;
  const ring = (): void => {
    rung = true;
    resolve?.();
  };
  const rings = watches.get(stream) ?? new Set();
  watches.set(stream, rings.add(ring));
  return {
    next: async () => {
      if (!rung) await new Promise<void>((done) => (resolve = done));
      resolve = undefined;
      rung = false;
    },
    close: () => {
      rings.delete(ring);
      if (rings.size === 0) watches.delete(stream);
      ring();
    },
  };
};
