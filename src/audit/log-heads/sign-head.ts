import { canonicalJson, consistencyProof, joined, rootOf, logHeadFormat, type SignedHead } from '#verify';
import { logHeadStream } from '../../domain/streams.ts';
import {
  EventStoreUnavailable,
  type EventStore,
  type LogReader,
  type Position,
} from '../../eventstore/event-store.ts';
import type { SignJws } from '../../signing/sign-jws.ts';
import { Interrupted } from '../interrupted.ts';
import { openLogTree, type LogTree } from '../log-tiles/log-tree.ts';
import type { Tile, TileSource } from '../log-tiles/tile.ts';
import { leafOf } from '../proofs/stored-leaf.ts';
import { readRemovals } from '../retention/removals.ts';
import { positionText } from '../timeline/position-text.ts';
import { type LogHead, endOfHeads, type EndOfHeads, type LoggedHead } from './read-heads.ts';

export type GrowDependencies = {
  readonly store: Pick<EventStore, 'read' | 'readBack'> & LogReader;
  /** The stored tiles of the tree; used only as far as the log's own heads agree with them. */
  readonly tiles: TileSource;
  /** Stores tiles for the next time, up to the position of their last leaf. */
  readonly save?: (tiles: readonly Tile[], to: Position) => Promise<void>;
};

export type SignHeadDependencies = GrowDependencies & {
  readonly store: Pick<EventStore, 'append'>;
  readonly sign: SignJws;
  readonly now: () => number;
};

/** The log does not match one of its own heads. */
export class LogChanged extends Error {
  override readonly name = 'LogChanged';
}

/** The most events that are read again after an interruption. */
const keepEvery = 20_000;
const attempts = 5;

/**
 * Signs a head over the log as of now, and appends it, by the expected revision; null for an empty log.
 * @throws LogChanged for a log that contradicts its last head; TilesDamaged, Interrupted, EventStoreUnavailable, AppendOutcomeUnknown
 */
export const signHead = async (
  dependencies: SignHeadDependencies,
  signal: AbortSignal,
): Promise<LogHead | null> => {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { tree, last, revision } = await growTree(dependencies, signal);
    const position = tree.position();
    if (position === null) return null;
    const head = await signed(dependencies, tree, positionText(position), last?.size ?? 0);
    const appended = await dependencies.store.append(logHeadStream, revision, [
      { event: { type: 'LogHeadSigned', data: head } },
    ]);
    if (appended.ok) return head;
  }
  throw new EventStoreUnavailable(`the stream ${logHeadStream} changed during each of ${attempts} attempts`);
};

const signed = async (
  { sign, now }: SignHeadDependencies,
  tree: LogTree,
  position: string,
  previousSize: number,
): Promise<LogHead> => {
  const [before, since] = [await tree.span(0, previousSize), await tree.span(previousSize, tree.size())];
  const { format: _, ...head }: SignedHead = {
    format: logHeadFormat,
    size: tree.size(),
    root: rootOf(joined(before, since)).toString('hex'),
    position,
    previousSize,
    proof: consistencyProof(before, since).map((hash) => hash.toString('hex')),
    at: now(),
  };
  return { ...head, jws: await sign('log-head+jws', canonicalJson({ ...head, format: logHeadFormat })) };
};

/** The tree over the log from the stored tiles on, compared with the newest head. @throws LogChanged, TilesDamaged, Interrupted, EventStoreUnavailable */
export const growTree = async (
  { store, tiles, save }: GrowDependencies,
  signal: AbortSignal,
): Promise<{
  readonly tree: LogTree;
  readonly last: LoggedHead | null;
  /** Revision of the newest event in the stream of heads. */
  readonly revision: EndOfHeads['revision'];
}> => {
  const tree = await openLogTree(tiles);
  const { head: last, revision } = await endOfHeads(store);
  if (last && last.size <= tree.size()) await expectRoot(tree, last);
  const keep = async () => {
    const [position, changed] = [tree.position(), save ? tree.takeChanged() : []];
    if (position && changed.length > 0) await save?.(changed, position);
  };
  // Removed events are always covered by a head. So they matter only when tiles were lost and the tree is smaller than
  // the last head: it is then built from the log again.
  const removals = last && tree.size() < last.size ? await readRemovals(store) : null;
  const add = async (leaf: Buffer, position: Position): Promise<void> => {
    tree.add(leaf, position);
    if (last && tree.size() === last.size) await expectRoot(tree, last);
  };
  const goneBefore = (leaf: Buffer): Buffer | null => {
    const gone = removals?.hashOf(tree.size()) ?? null;
    return gone?.equals(leaf) ? null : gone;
  };
  let read = 0;
  for await (const event of store.readLog({ after: tree.position(), signal })) {
    const leaf = leafOf(event);
    for (let gone = goneBefore(leaf); gone; gone = goneBefore(leaf))
      await add(gone, tree.position() ?? beginning);
    await add(leaf, event.position);
    if (++read % keepEvery === 0) await keep();
  }
  if (signal.aborted) throw new Interrupted('the log was not read to the end');
  if (last && tree.size() < last.size)
    throw new LogChanged(
      `the log has ${tree.size()} events, and had ${last.size} when its last head was signed`,
    );
  await keep();
  return { tree, last, revision };
};

const beginning: Position = { commit: 0n, prepare: 0n };

const expectRoot = async (tree: LogTree, { size, root }: LoggedHead): Promise<void> => {
  if ((await tree.rootAt(size)) !== root)
    throw new LogChanged(
      `the first ${size} events of the log, or its tiles, are not those that its last head was signed over: \`grantbook audit check-log\` says which`,
    );
};
