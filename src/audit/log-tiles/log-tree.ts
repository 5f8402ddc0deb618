import { nodesBetween, rootOf, type Node, type Span } from '#verify';
import { LRUCache } from 'lru-cache';
import {
  comparePositions,
  type Position,
  type LogReader,
  type StoredEvent,
} from '../../eventstore/event-store.ts';
import {
  countIn,
  damaged,
  findIn,
  rootIn,
  tileHeight,
  tileWidth,
  type Tile,
  type TileSource,
  hashBytes,
} from './tile.ts';
import { leafOf } from '../proofs/stored-leaf.ts';

/** The tree over the log (RFC 9162 §2.1): the stored tiles, and leaves that were added here and are not saved yet. */
export type LogTree = {
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

type TileEnd = Tile & { readonly room: Buffer };

const emptyEnd = (level: number, index = 0): TileEnd => {
  const room = Buffer.alloc(tileWidth * hashBytes);
  return { level, index, hashes: room.subarray(0, 0), last: null, room };
};

/** Existing bytes are never overwritten, so earlier versions of the tile stay valid. */
const grownBy = (end: TileEnd, hash: Buffer, last: Position | null): TileEnd => {
  hash.copy(end.room, end.hashes.length);
  return { ...end, hashes: end.room.subarray(0, end.hashes.length + hashBytes), last };
};

/** The last tile of each level of a tree with this many leaves. @throws TilesDamaged */
const endsOf = async (
  read: (level: number, index: number) => Promise<Tile>,
  newest: Tile,
  size: number,
): Promise<TileEnd[]> => {
  const ends: TileEnd[] = [];
  for (
    let [level, count] = [0, size];
    count > 0;
    [level, count] = [level + 1, Math.floor(count / tileWidth)]
  ) {
    const [index, filled] = [Math.floor(count / tileWidth), count % tileWidth];
    const end = emptyEnd(level, index);
    if (filled === 0) {
      ends.push(end);
      continue;
    }
    const found = level === 0 ? newest : await read(level, index);
    if (countIn(found) < filled) throw damaged(found, 'has too few hashes');
    // Only the bytes that belong to it: a leader may have added to it since the newest one was read.
    const bytes = filled * hashBytes;
    found.hashes.copy(end.room, 0, 0, bytes);
    ends.push({ ...end, hashes: end.room.subarray(0, bytes), last: found.last });
  }
  return ends;
};

/** Number of tiles, of at most 8 KiB each. */
const kept = 64;

/** Caches the complete tiles that were last used: they never change. */
const makeTileCache = (source: TileSource) => {
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

/** How many leaves the tree has up to a position (inclusive); reads at most the events of one tile. @throws TilesDamaged */
export const sizeAt = async (
  log: LogReader,
  tree: LogTree,
  position: Position,
  signal: AbortSignal,
): Promise<number> => {
  const tile = await tree.tileAt(position);
  if (!tile) return tree.size();
  const first = tile.index * tileWidth;
  const after = tile.index === 0 ? null : (await tree.tile(0, tile.index - 1)).last;
  let newest: StoredEvent | null = null;
  for await (const event of log.readLog({ after, until: position, signal })) newest = event;
  if (!newest) return first;
  const place = findIn(tile, leafOf(newest));
  if (place < 0) throw damaged(tile, `does not have the event ${newest.stream}@${newest.revision}`);
  return first + place + 1;
};
