import { nodesBetween, rootOf, type Node, type Span } from '@grantbook/verify';
import { comparePositions, type Position } from '../../eventstore/event-store.ts';
import { makeTileCache } from './tile-cache.ts';
import { emptyEnd, endsOf, grownBy, type TileEnd } from './tile-ends.ts';
import {
  countIn,
  damaged,
  findIn,
  rootIn,
  tileHeight,
  tileWidth,
  type Tile,
  type TileSource,
} from './tile.ts';

/** The tree over the log (RFC 9162 §2.1): the stored tiles, and leaves that were added here and are not saved yet. */
export type LogTree = {
  /** Number of leaves. */
  size(): number;
  /** Position of the last leaf; null for none. */
  position(): Position | null;
  add(leaf: Buffer, position: Position): void;
  /** The leaves from `from` up to but not including `to`; reads only a few tiles. @throws TilesDamaged */
  span(from: number, to: number): Promise<Span>;
  /** Root over the first `size` leaves, hexadecimal. @throws TilesDamaged */
  rootAt(size: number): Promise<string>;
  /** Null where no such leaf is at or before the position, or it lies in another tile. */
  indexOf(leaf: Buffer, position: Position): Promise<number | null>;
  /** The tile of level 0 that contains a position, as far as it is filled; null after the last leaf. */
  tileAt(position: Position): Promise<Tile | null>;
  tile(level: number, index: number): Promise<Tile>;
  /** The tiles to save; from now on they count as saved. */
  takeChanged(): readonly Tile[];
};

/** @throws TilesDamaged, and what the source throws */
export const openLogTree = async (source: TileSource): Promise<LogTree> => {
  const newest = await source.newest();
  let size = newest ? newest.index * tileWidth + countIn(newest) : 0;
  let position = newest?.last ?? null;
  const cache = makeTileCache(source);
  const ends: TileEnd[] = newest
    ? await endsOf((level, index) => cache.tile(level, index), newest, size)
    : [];
  const changed = new Map<string, Tile>();

  const push = (level: number, hash: Buffer, last: Position | null): void => {
    const tile = grownBy(ends[level] ?? emptyEnd(level), hash, last);
    changed.set(keyOf(tile), tile);
    const isWhole = countIn(tile) === tileWidth;
    ends[level] = isWhole ? emptyEnd(level, tile.index + 1) : tile;
    if (isWhole) push(level + 1, rootIn(tile, 0, tileWidth), null);
  };
  const tile = async (level: number, index: number): Promise<Tile> => {
    const end = ends[level];
    const known =
      changed.get(keyOf({ level, index })) ?? (end?.index === index && countIn(end) > 0 ? end : undefined);
    return known ?? (await cache.tile(level, index));
  };
  const nodeHashAt = async (level: number, start: number): Promise<Buffer> => {
    const at = start / tileWidth ** Math.floor(level / tileHeight);
    const found = await tile(Math.floor(level / tileHeight), Math.floor(at / tileWidth));
    const [from, count] = [at % tileWidth, 2 ** (level % tileHeight)];
    if (countIn(found) < from + count) throw damaged(found, 'has too few hashes');
    return rootIn(found, from, count);
  };
  const span = async (from: number, to: number): Promise<Span> => {
    const nodes: Node[] = [];
    for (const { level, start } of nodesBetween(from, to))
      // one by one: neighbours lie in one tile
      nodes.push({ level, hash: await nodeHashAt(level, start) });
    return { start: from, end: to, nodes };
  };
  const tileAt = async (at: Position): Promise<Tile | null> => {
    if (!position || comparePositions(at, position) > 0) return null;
    const saved = await cache.at(at);
    if (saved) return tile(0, saved.index);
    const added = [...changed.values()].filter(({ level }) => level === 0);
    return added.find(({ last }) => last && comparePositions(last, at) >= 0) ?? null;
  };
  return {
    size: () => size,
    position: () => position,
    add(leaf, at) {
      push(0, leaf, at);
      [size, position] = [size + 1, at];
    },
    span,
    rootAt: async (to) => rootOf(await span(0, to)).toString('hex'),
    tile,
    tileAt,
    async indexOf(leaf, at) {
      const found = await tileAt(at);
      const place = found ? findIn(found, leaf) : -1;
      return found && place >= 0 ? found.index * tileWidth + place : null;
    },
    takeChanged() {
      const tiles = [...changed.values()];
      changed.clear();
      return tiles;
    },
  };
};

const keyOf = ({ level, index }: Pick<Tile, 'level' | 'index'>): string => `${level}/${index}`;
