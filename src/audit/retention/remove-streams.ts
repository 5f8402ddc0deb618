import pMap from 'p-map';
import {
  mostRemovableEvents,
  removableAs,
  removableFirstTypes,
  removedStreamName,
  type RemovedStream,
  type RetentionCategory,
  type StreamsRemoved,
} from '../../domain/log/retention.ts';
import { retentionCategories } from '../../domain/log/events.ts';
import { retentionStream } from '../../domain/streams.ts';
import { idOf } from '../../domain/kernel/stream-name.ts';
import { isOfNewerVersion } from '../../eventstore/codec/codec.ts';
import {
  comparePositions,
  EventStoreUnavailable,
  type EventStore,
  type LogReader,
  type Position,
  type StoredEvent,
  type StreamRemover,
} from '../../eventstore/event-store.ts';
import { newestHead } from '../log-heads/read-heads.ts';
import { openLogTree, type LogTree } from '../log-tiles/log-tree.ts';
import type { TileSource } from '../log-tiles/tile.ts';
import { leafOf } from '../proofs/stored-leaf.ts';
import { type EndOfRemovals, endOfRemovals } from './removals.ts';

export type RemoveDependencies = {
  readonly store: Pick<EventStore, 'append' | 'readBack'> & LogReader & StreamRemover;
  /** Of the log's tree: only events that are covered by tiles and by a signed head are removed. */
  readonly tiles: TileSource;
  readonly now: () => number;
  readonly logger: { warn(context: object, message: string): void };
  /** Milliseconds from the end of a stream's last possible effect to its removal. */
  readonly keepMs: number;
  /** The most streams announced together. */
  readonly most?: number;
};

/** An announcement has room for this many, and an append for twice as many. */
const announcedTogether = 1_000;
const atOnce = 16;

/**
 * Removes what is overdue, from a position to the first stream that is not due or that no head covers. May be killed or run twice:
 * the last announcement is carried out first, and the expected revision accepts one. `passed`: nothing is left up to there. @throws EventStoreUnavailable, TilesDamaged
 */
export const removeOverdue = async (
  dependencies: RemoveDependencies,
  after: Position | null,
  signal: AbortSignal,
  passed: (to: Position) => Promise<void>,
): Promise<void> => {
  const { store, tiles, most = announcedTogether } = dependencies;
  let newest = await endOfRemovals(store);
  if (newest.removed) await removeAll(dependencies, newest.removed);
  const [tree, head] = [await openLogTree(tiles), await newestHead(store)];
  const covered = Math.min(tree.size(), head?.size ?? 0);
  let due: StoredEvent[] = [];
  const finish = async (): Promise<boolean> => {
    const found = await judgeAll(dependencies, { tree, covered }, due);
    for (const category of retentionCategories) {
      const streams = found.flatMap((one) => (one?.category === category ? [one.stream] : []));
      if (streams.length === 0) continue;
      const announced = await announce(dependencies, newest, category, streams);
      newest = announced;
      await removeAll(dependencies, announced.removed);
    }
    const last = due[found.length - 1];
    if (last) await passed(last.position);
    return found.length === due.length;
  };
  const only = { eventTypes: removableFirstTypes };
  for await (const event of store.readLog({ after, only, signal })) {
    if (!isOverdue(dependencies, event)) break;
    due.push(event);
    if (due.length < most) continue;
    if (!(await finish()) || signal.aborted) return;
    due = [];
  }
  if (due.length > 0 && !signal.aborted) await finish();
};

const isOverdue = ({ now, keepMs }: RemoveDependencies, { data }: StoredEvent): boolean => {
  const { expiresAt } = (data ?? {}) as { readonly expiresAt?: unknown };
  return typeof expiresAt !== 'number' || expiresAt + keepMs <= now();
};

type Covered = { readonly tree: LogTree; readonly covered: number };
/** Null for a stream that stays. */
type Judged = { readonly category: RetentionCategory; readonly stream: RemovedStream } | null;

/** One result for each first event, up to the first stream that has to wait. */
const judgeAll = async (
  dependencies: RemoveDependencies,
  covered: Covered,
  firsts: readonly StoredEvent[],
): Promise<readonly Judged[]> => {
  const judged: Judged[] = [];
  for (let next = 0; next < firsts.length; next += atOnce) {
    const some = firsts.slice(next, next + atOnce);
    const streams = await Promise.all(
      some.map(({ stream }) => dependencies.store.readStored(stream, 0n, mostRemovableEvents + 1)),
    );
    // One by one: neighbours lie in one tile, and the tiles are read over one connection.
    for (const [index, first] of some.entries()) {
      const one = await judge(dependencies, covered, first, streams[index] ?? []);
      if (one === 'waits') return judged;
      judged.push(one);
    }
  }
  return judged;
};

const judge = async (
  { logger }: RemoveDependencies,
  { tree, covered }: Covered,
  first: StoredEvent,
  events: readonly StoredEvent[],
): Promise<Judged | 'waits'> => {
  const { stream } = first;
  const types = events.map(({ type }) => type);
  const category = events.some(isOfNewerVersion) ? null : removableAs(stream, types);
  if (category === null || events[0]?.id !== first.id) return null;
  const leaves: number[] = [];
  const hashes: string[] = [];
  for (const event of events) {
    const at = tree.position();
    if (at === null || comparePositions(event.position, at) > 0) return 'waits';
    const hash = leafOf(event);
    const leaf = await tree.indexOf(hash, event.position);
    if (leaf === null) {
      logger.warn({ stream }, 'differs from the tree of the log, and is not removed');
      return null;
    }
    if (leaf >= covered) return 'waits';
    leaves.push(leaf);
    hashes.push(hash.toString('base64url'));
  }
  return { category, stream: { id: idOf(stream), leaves, hashes } };
};

const none: StreamsRemoved['total'] = { session: 0, 'unredeemed-grant': 0 };

const announce = async (
  { store, now }: RemoveDependencies,
  newest: EndOfRemovals,
  category: RetentionCategory,
  streams: readonly RemovedStream[],
): Promise<EndOfRemovals & { readonly removed: StreamsRemoved }> => {
  const total = newest.removed?.total ?? none;
  const events = streams.reduce((sum, { leaves }) => sum + leaves.length, 0);
  const removed = {
    category,
    streams,
    total: { ...total, [category]: (total[category] ?? 0) + events },
    at: now(),
  };
  const appended = await store.append(retentionStream, newest.revision, [
    { event: { type: 'StreamsRemoved', data: removed }, metadata: { actor: 'documented-retention' } },
  ]);
  if (!appended.ok)
    throw new EventStoreUnavailable(
      `the stream ${retentionStream} was written by another instance meanwhile`,
    );
  return { removed, revision: appended.revision };
};

const removeAll = async (
  { store, logger }: RemoveDependencies,
  { category, streams }: StreamsRemoved,
): Promise<void> => {
  const remove = async (stream: RemovedStream): Promise<void> => {
    const name = removedStreamName(category, stream);
    const result = await store.remove(name, BigInt(stream.leaves.length - 1));
    if (result === 'changed') logger.warn({ stream: name }, 'was written to before its removal, and stays');
  };
  await pMap(streams, remove, { concurrency: atOnce });
};
