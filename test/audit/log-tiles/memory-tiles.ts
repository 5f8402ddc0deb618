import { openLogTree, type LogTree } from '../../../src/audit/log-tiles/log-tree.ts';
import type { Tile, TileSource } from '../../../src/audit/log-tiles/tile.ts';
import { leafOf } from '../../../src/audit/proofs/stored-leaf.ts';
import { comparePositions, type StoredEvent } from '../../../src/eventstore/event-store.ts';
import type { memoryStore } from '../../support/memory/memory-store.ts';

/** Tiles as the table keeps them, and how often one was asked for. */
export const memoryTiles = (earlier: readonly Tile[] = []) => {
  const tiles = new Map(earlier.map((tile) => [`${tile.level}/${tile.index}`, tile]));
  const leaves = () =>
    [...tiles.values()].filter(({ level }) => level === 0).toSorted((a, b) => a.index - b.index);
  let reads = 0;
  const read = <T>(found: T): Promise<T> => {
    reads += 1;
    return Promise.resolve(found);
  };
  const source: TileSource = {
    tile: (level, index) => read(tiles.get(`${level}/${index}`) ?? null),
    newest: () => read(leaves().at(-1) ?? null),
    at: (position) =>
      read(leaves().find(({ last }) => last && comparePositions(last, position) >= 0) ?? null),
  };
  const save = (changed: readonly Tile[]): Promise<void> => {
    for (const tile of changed)
      tiles.set(`${tile.level}/${tile.index}`, { ...tile, hashes: Buffer.from(tile.hashes) });
    return Promise.resolve();
  };
  return { source, save, tiles, reads: () => reads, all: () => [...tiles.values()] };
};

/** The tree over these events, none of it saved. */
export const treeOver = async (events: readonly StoredEvent[]): Promise<LogTree> => {
  const tree = await openLogTree(memoryTiles().source);
  for (const event of events) tree.add(leafOf(event), event.position);
  return tree;
};

/** Appends as many events, each to a stream of its own. */
export const endSessions = async (store: ReturnType<typeof memoryStore>, count: number): Promise<void> => {
  for (let n = 0; n < count; n++) {
    const at = store.all().length;
    const event = { type: 'SessionEnded', data: { at } } as const;
    await store.append(`session-${at}`, 'no-stream', [{ event }]);
  }
};
