import {
  removedStreamsOf,
  type RemovedStream,
  type RetentionCategory,
  type StreamsRemoved,
} from '../../domain/log/retention.ts';
import { retentionCategories } from '../../domain/log/events.ts';
import { retentionStream } from '../../domain/streams.ts';
import {
  comparePositions,
  type EventStore,
  type ExpectedRevision,
  type RecordedEvent,
} from '../../eventstore/event-store.ts';
import { copiesOf } from '../log-copies/log-copy.ts';

const announcedIn = ({ event }: RecordedEvent): readonly StreamsRemoved[] =>
  event.type === 'StreamsRemoved' ? [event.data] : [];

export type EndOfRemovals = {
  /** The streams announced last; null before the first. */
  readonly removed: StreamsRemoved | null;
  /** Of the newest event in the stream of announcements, whatever it is. */
  readonly revision: ExpectedRevision;
};

/** @throws EventStoreUnavailable */
export const endOfRemovals = async (store: Pick<EventStore, 'readBack'>): Promise<EndOfRemovals> => {
  const { events, revision } = await store.readBack(retentionStream, 'end', 1);
  return { removed: events.flatMap(announcedIn)[0] ?? null, revision };
};

/** Null before the first. @throws EventStoreUnavailable */
export const newestRemoval = async (store: Pick<EventStore, 'readBack'>): Promise<StreamsRemoved | null> =>
  (await endOfRemovals(store)).removed;

/** When documented retention removed a stream, and its category; null if it did not. @throws EventStoreUnavailable, StreamUnreadable */
export const removalOf = async (
  store: Pick<EventStore, 'read'>,
  stream: string,
): Promise<Pick<StreamsRemoved, 'category' | 'at'> | null> => {
  const { events } = await store.read(retentionStream);
  const found = events.flatMap(announcedIn);
  return found.find((removed) => (removedStreamsOf(removed) as string[]).includes(stream)) ?? null;
};

/** Which leaves of the log's tree documented retention removed, and in which category. */
export type Removals = {
  /** Null for a leaf that it did not remove. */
  readonly as: (leaf: number) => RetentionCategory | null;
  /** Its hash; null for a leaf that was not removed. */
  readonly hashOf: (leaf: number) => Buffer | null;
  /** Counts by category over the first leaves of the log. */
  countBefore(size: number): Readonly<Partial<Record<RetentionCategory, number>>>;
};

/** All removals announced in this log, not in one it was copied from. @throws EventStoreUnavailable, StreamUnreadable */
export const readRemovals = async (store: Pick<EventStore, 'read'>): Promise<Removals> => {
  const [{ events }, copies] = [await store.read(retentionStream), await copiesOf(store)];
  const copy = copies.at(-1);
  const announced = events
    .filter(({ position }) => !copy || comparePositions(position, copy.position) > 0)
    .flatMap(announcedIn);
  const leavesOf = (category: RetentionCategory): Float64Array =>
    Float64Array.from(
      announced.flatMap((removed) =>
        removed.category === category ? removed.streams.flatMap(({ leaves }) => leaves) : [],
      ),
    ).sort();
  const known = retentionCategories.map((category) => ({ category, leaves: leavesOf(category) }));
  const hashes = new Map(announced.flatMap(({ streams }) => streams.flatMap(hashesIn)));
  return {
    hashOf: (leaf) => {
      const hash = hashes.get(leaf);
      return hash === undefined ? null : Buffer.from(hash, 'base64url');
    },
    as: (leaf) => known.find(({ leaves }) => leaves[placeOf(leaves, leaf)] === leaf)?.category ?? null,
    countBefore: (size) =>
      Object.fromEntries(
        known.flatMap(({ category, leaves }) => {
          const count = placeOf(leaves, size);
          return count === 0 ? [] : [[category, count]];
        }),
      ),
  };
};

const hashesIn = ({ leaves, hashes }: RemovedStream): readonly (readonly [number, string])[] =>
  leaves.flatMap((leaf, at) => {
    const hash = hashes[at];
    return hash === undefined ? [] : [[leaf, hash] as const];
  });

/** How many are smaller. */
const placeOf = (sorted: Float64Array, value: number): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
};
