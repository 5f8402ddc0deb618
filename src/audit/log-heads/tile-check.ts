import type { StoredEvent } from '../../eventstore/event-store.ts';
import type { LogTree } from '../log-tiles/log-tree.ts';
import { findIn, hashIn, rootIn, tileWidth, type Tile } from '../log-tiles/tile.ts';

export type TileTrouble = {
  readonly tile: string;
  readonly leaf: number;
  /** `changed`: not what its leaf says. `missing`: gone without retention. `parent`: a tile does not match the one above it. */
  readonly kind: 'changed' | 'missing' | 'parent';
};

export type MissingLeaf = { readonly leaf: Buffer; readonly category: string };

/** Compares events with the leaves of the tiles, until they differ: from then on only events count. */
export const makeTileCheck = (tiles: LogTree, removedAs: (index: number) => string | null) => {
  let trouble: TileTrouble | null = null;
  const found = (kind: TileTrouble['kind'], tile: Pick<Tile, 'level' | 'index'>, leaf: number): void =>
    void (trouble ??= { kind, tile: `${tile.level}/${tile.index}`, leaf });

  /** The leaves of missing events, as long as retention removed them. */
  const gone = async (from: number, to: number): Promise<readonly MissingLeaf[]> => {
    const leaves: MissingLeaf[] = [];
    for (let at = from; at < to; at++) {
      const tile = await tiles.tile(0, Math.floor(at / tileWidth));
      const category = removedAs(at);
      if (category === null) found('missing', tile, at);
      if (category === null) return leaves;
      leaves.push({ leaf: hashIn(tile, at % tileWidth), category });
      await parents(at + 1);
    }
    return leaves;
  };

  /** When this many leaves complete tiles, the tiles above must have their roots. */
  const parents = async (size: number): Promise<void> => {
    for (
      let [level, count] = [1, size / tileWidth];
      Number.isInteger(count);
      [level, count] = [level + 1, count / tileWidth]
    ) {
      const below = await tiles.tile(level - 1, count - 1);
      const above = await tiles.tile(level, Math.floor((count - 1) / tileWidth));
      if (!rootIn(below, 0, tileWidth).equals(hashIn(above, (count - 1) % tileWidth)))
        return found('parent', above, size - 1);
    }
  };

  return {
    trouble: () => trouble,
    async before(size: number, leaf: Buffer, event: StoredEvent): Promise<readonly MissingLeaf[]> {
      if (trouble || size >= tiles.size()) return [];
      const here = await tiles.tile(0, Math.floor(size / tileWidth));
      if (hashIn(here, size % tileWidth).equals(leaf)) {
        await parents(size + 1);
        return [];
      }
      const tile = await tiles.tileAt(event.position);
      if (!tile) return gone(size, tiles.size());
      const first = tile.index * tileWidth;
      const place = findIn(tile, leaf, Math.max(0, size - first));
      if (place < 0) {
        found('changed', here, size);
        return [];
      }
      const leaves = await gone(size, first + place);
      if (!trouble) await parents(first + place + 1);
      return leaves;
    },
    atEnd: (size: number): Promise<readonly MissingLeaf[]> =>
      trouble ? Promise.resolve([]) : gone(size, tiles.size()),
  };
};
