import { addLeaf, emptySpan, leafHash, rootOf, type Span } from '#verify';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openLogTree, sizeAt } from '../../../src/audit/log-tiles/log-tree.ts';
import { countIn, TilesDamaged, type Tile } from '../../../src/audit/log-tiles/tile.ts';
import { leafOf } from '../../../src/audit/proofs/stored-leaf.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { endSessions, memoryTiles } from './memory-tiles.ts';

const most = 66_000; // more than 256², so that there are three levels
const leaves = Array.from({ length: most }, (_, at) => leafHash(`entry ${at}`));
const positionOf = (at: number) => ({ commit: BigInt(at * 10 + 10), prepare: BigInt(at * 10 + 10) });
/** By adding leaf for leaf. */
const spanOf = (from: number, to: number): Span => leaves.slice(from, to).reduce(addLeaf, emptySpan(from));

/** Tiles of a tree that was saved at these sizes, each time by somebody who knew nothing but the tiles. */
const savedAt = async (sizes: readonly number[]) => {
  const kept = memoryTiles();
  for (const size of sizes) {
    const tree = await openLogTree(kept.source);
    for (let at = tree.size(); at < size; at++) tree.add(leaves[at] as Buffer, positionOf(at));
    await kept.save(tree.takeChanged());
  }
  return kept;
};

describe('HI-02: tiles of the tree over the log', () => {
  test('HI-02: lead to the spans of RFC 9162, wherever the tree was saved and taken up again', async () => {
    const size = fc.integer({ min: 1, max: 1500 });
    await fc.assert(
      fc.asyncProperty(fc.array(size, { minLength: 1, maxLength: 5 }), size, size, async (sizes, a, b) => {
        const saved = await savedAt(sizes.toSorted((x, y) => x - y));
        const tree = await openLogTree(saved.source);
        expect(tree.size()).toBe(Math.max(...sizes));
        for (let at = tree.size(); at < 1500; at++) tree.add(leaves[at] as Buffer, positionOf(at)); // not saved
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        expect(await tree.span(from, to)).toEqual(spanOf(from, to));
        expect(await tree.indexOf(leaves[to - 1] as Buffer, positionOf(to - 1))).toBe(to - 1);
        expect(await tree.indexOf(leaves[to] as Buffer, positionOf(to - 1))).toBe(
          to < tree.size() && Math.floor(to / 256) === Math.floor((to - 1) / 256) ? to : null,
        );
      }),
      { numRuns: 20, examples: [[[3], 2, 1500]] },
    );
  });

  test('HI-02: one root and one place cost a handful of tiles, at any size', async () => {
    const saved = await savedAt([1, 300, 65_536, most]);
    const bytes = saved.all().reduce((sum, { hashes }) => sum + hashes.length, 0);
    expect(bytes / most).toBeLessThan(33); // and what a row of Postgres adds for 256 leaves
    let [size, span] = [0, emptySpan(0)];
    for (const next of [1, 255, 256, 257, 65_535, 65_536, 65_537, most]) {
      [size, span] = [next, leaves.slice(size, next).reduce(addLeaf, span)];
      const before = saved.reads();
      const tree = await openLogTree(saved.source);
      expect(await tree.rootAt(size)).toBe(rootOf(span).toString('hex'));
      expect(await tree.indexOf(leaves[size - 1] as Buffer, positionOf(size - 1))).toBe(size - 1);
      expect(saved.reads() - before).toBeLessThanOrEqual(12);
    }
  });

  test('HI-02: what is missing or too short is named', async () => {
    const saved = await savedAt([1000]);
    const without = (level: number, index: number) =>
      memoryTiles(saved.all().filter((tile) => tile.level !== level || tile.index !== index));
    const tree = await openLogTree(without(0, 1).source);
    await expect(tree.span(300, 1000)).rejects.toThrow("tile 0/1 of the log's tree is missing");
    await expect(openLogTree(without(1, 0).source)).rejects.toThrow('tile 1/0');
    const shortened = saved.all().map((tile): Tile => {
      const isIt = tile.level === 1 && tile.index === 0;
      return isIt ? { ...tile, hashes: tile.hashes.subarray(0, 64) } : tile;
    });
    await expect(openLogTree(memoryTiles(shortened).source)).rejects.toThrow(TilesDamaged);
    expect(countIn({ hashes: Buffer.alloc(96) })).toBe(3);
  });

  test('HI-02: a position between two events is after the first of them', async () => {
    const store = memoryStore();
    await endSessions(store, 600);
    const spread = memoryStore(
      {},
      store.all().map((event, at) => ({ ...event, position: positionOf(at) })),
    );
    const tree = await openLogTree(memoryTiles().source);
    const { signal } = new AbortController();
    for await (const event of spread.readLog({ after: null, signal }))
      tree.add(leafOf(event), event.position);
    for (const size of [1, 255, 256, 257, 511, 512, 513, 600]) {
      const { commit } = positionOf(size - 1);
      for (const at of [commit, commit + 4n])
        expect(await sizeAt(spread, tree, { commit: at, prepare: at }, signal)).toBe(size);
    }
    expect(await sizeAt(spread, tree, { commit: 3n, prepare: 3n }, signal)).toBe(0);
  });
});
