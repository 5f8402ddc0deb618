import { addNode, emptySpan, rootOf } from '#verify';
import type { Position } from '../../eventstore/event-store.ts';

/** The number of hashes in a tile; the root of a complete one is one hash of the level above (c2sp.org/tlog-tiles). */
export const tileWidth = 256;
export const tileHeight = 8;
export const hashBytes = 32;

/** A run of hashes of the log's tree: at level 0 leaves, at level L roots over 256^L leaves. The last tile of a level may be partial. */
export type Tile = {
  readonly level: number;
  readonly index: number;
  readonly hashes: Buffer;
  /** Position of the last leaf, at level 0; null above. */
  readonly last: Position | null;
};

/** Where tiles are stored. Each grows until it is complete and does not change otherwise. */
export type TileSource = {
  tile(level: number, index: number): Promise<Tile | null>;
  /** The last one of level 0; null for none. */
  newest(): Promise<Tile | null>;
  /** The first one of level 0 that does not end before a position; null when all do. */
  at(position: Position): Promise<Tile | null>;
};

export const countIn = ({ hashes }: Pick<Tile, 'hashes'>): number => hashes.length / hashBytes;
export const hashIn = ({ hashes }: Pick<Tile, 'hashes'>, at: number): Buffer =>
  hashes.subarray(at * hashBytes, (at + 1) * hashBytes);

/** Root over `count` neighbouring hashes of a tile, a power of two. */
export const rootIn = (tile: Pick<Tile, 'hashes'>, from: number, count: number): Buffer => {
  let span = emptySpan();
  for (let at = from; at < from + count; at++) span = addNode(span, { level: 0, hash: hashIn(tile, at) });
  return rootOf(span);
};

/** The index of a hash in a tile; −1 when it is not there. */
export const findIn = (tile: Pick<Tile, 'hashes'>, hash: Buffer, from = 0): number => {
  for (let at = from; at < countIn(tile); at++) if (hashIn(tile, at).equals(hash)) return at;
  return -1;
};

/** A tile of the tree is missing, or has wrong content. The message names it. */
export class TilesDamaged extends Error {
  override readonly name = 'TilesDamaged';
}

export const damaged = ({ level, index }: Pick<Tile, 'level' | 'index'>, what: string): TilesDamaged =>
  new TilesDamaged(`tile ${level}/${index} of the log's tree ${what}`);
