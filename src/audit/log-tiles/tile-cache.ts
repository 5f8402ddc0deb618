import { LRUCache } from 'lru-cache';
import { comparePositions, type Position } from '../../eventstore/event-store.ts';
import { countIn, damaged, tileWidth, type Tile, type TileSource } from './tile.ts';

/** Number of tiles, of at most 8 KiB each. */
const kept = 64;

/** Caches the complete tiles that were last used: they never change. */
export const makeTileCache = (source: TileSource) => {
  const whole = new LRUCache<string, Tile>({ max: kept });
  let recent: { readonly asked: Position; readonly tile: Tile } | null = null;
  const keep = (tile: Tile): Tile => {
    if (countIn(tile) === tileWidth) whole.set(`${tile.level}/${tile.index}`, tile);
    return tile;
  };
  return {
    /** @throws TilesDamaged when it does not exist */
    async tile(level: number, index: number): Promise<Tile> {
      const found = whole.get(`${level}/${index}`) ?? (await source.tile(level, index));
      if (!found) throw damaged({ level, index }, 'is missing');
      return keep(found);
    },
    /** A sequential read of the log asks for the same tile many times in a row. */
    async at(position: Position): Promise<Tile | null> {
      if (recent && isBetween(recent.asked, position, recent.tile.last)) return recent.tile;
      const tile = await source.at(position);
      recent = tile && { asked: position, tile: keep(tile) };
      return tile;
    },
  };
};

const isBetween = (from: Position, at: Position, to: Position | null): boolean =>
  to !== null && comparePositions(from, at) <= 0 && comparePositions(at, to) <= 0;
