import type { Limits } from './stream-metadata.ts';
import { isMetadataStream } from './record.ts';
import { isSoftDeleted, noLimits } from './stream-metadata.ts';

/** The state of a stream and its metadata stream; one row of `eventstore.streams`. */
export type Head = {
  /** −1 without events. */
  readonly last: bigint;
  readonly metadataLast: bigint;
  /** The last event of the metadata stream, if it is JSON. */
  readonly metadata: string | null;
  readonly limits: Limits;
  readonly tombstoned: boolean;
};

export const noHead: Head = {
  last: -1n,
  metadataLast: -1n,
  metadata: null,
  limits: noLimits,
  tombstoned: false,
};

/** The last revision of `stream`; `head` is that of its base stream. */
export const lastOf = (stream: string, head: Head): bigint =>
  isMetadataStream(stream) ? head.metadataLast : head.last;

export const softDeletedAt = (stream: string, head: Head): boolean =>
  !isMetadataStream(stream) && isSoftDeleted(head.limits);

/** The first readable revision: truncation and `$maxCount` apply; a metadata stream has only its last event. */
export const firstVisible = (stream: string, head: Head): bigint => {
  if (isMetadataStream(stream)) return head.metadataLast < 0n ? 0n : head.metadataLast;
  const { maxCount, truncateBefore } = head.limits;
  const byCount = maxCount === undefined ? 0n : head.last - maxCount + 1n;
  const first = byCount > 0n ? byCount : 0n;
  return truncateBefore !== undefined && truncateBefore > first ? truncateBefore : first;
};

export type Heads = {
  /** Loads the committed heads of base streams that are not cached, all waiting names in one query. */
  load(names: readonly string[]): Promise<void>;
  get(name: string): Head | undefined;
  committed(changed: ReadonlyMap<string, Head>): void;
  forget(): void;
};

const capacity = 50_000;

/** A least-recently-used cache of the streams table. Only the writer changes a head, after its commit. */
export const makeHeads = (query: (names: readonly string[]) => Promise<ReadonlyMap<string, Head>>): Heads => {
  const cache = new Map<string, Head>();
  const pending = new Map<string, Promise<void>>();
  let gathering: { names: string[]; done: Promise<void> } | undefined;
  let generation = 0;

  const remember = (name: string, head: Head): void => {
    cache.delete(name);
    cache.set(name, head);
    if (cache.size <= capacity) return;
    const oldest = cache.keys().next().value;
    if (oldest !== undefined) cache.delete(oldest);
  };

  const fetch = async (names: readonly string[]): Promise<void> => {
    const started = generation;
    try {
      const found = await query(names);
      for (const name of names)
        if (started === generation && !cache.has(name)) remember(name, found.get(name) ?? noHead);
    } finally {
      for (const name of names) pending.delete(name);
    }
  };

  const gather = (name: string): Promise<void> => {
    if (!gathering) {
      const names: string[] = [];
      const done = new Promise<void>((resolve) => void setImmediate(resolve)).then(() => {
        gathering = undefined;
        return fetch(names);
      });
      gathering = { names, done };
    }
    gathering.names.push(name);
    return gathering.done;
  };

  return {
    load: async (names) => {
      const waits = new Set<Promise<void>>();
      for (const name of names) {
        if (cache.has(name)) continue;
        const wait = pending.get(name) ?? gather(name);
        pending.set(name, wait);
        waits.add(wait);
      }
      if (waits.size > 0) await Promise.all(waits);
    },
    get: (name) => {
      const head = cache.get(name);
      if (head) remember(name, head);
      return head;
    },
    committed: (changed) => {
      for (const [name, head] of changed) remember(name, head);
    },
    forget: () => {
      generation += 1;
      cache.clear();
    },
  };
};
