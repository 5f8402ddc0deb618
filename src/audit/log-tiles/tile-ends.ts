import type { Position } from '../../eventstore/event-store.ts';
import { countIn, damaged, hashBytes, tileWidth, type Tile } from './tile.ts';

/** The last tile of a level, with a buffer for further hashes. */
export type TileEnd = Tile & { readonly room: Buffer };

export const emptyEnd = (level: number, index = 0): TileEnd => {
  const room = Buffer.alloc(tileWidth * hashBytes);
  return { level, index, hashes: room.subarray(0, 0), last: null, room };
};

/** Existing bytes are never overwritten, so earlier versions of the tile stay valid. */
export const grownBy = (end: TileEnd, hash: Buffer, last: Position | null): TileEnd => {
  hash.copy(end.room, end.hashes.length);
  return { ...end, hashes: end.room.subarray(0, end.hashes.length + hashBytes), last };
};

/** The last tile of each level of a tree with this many leaves. @throws TilesDamaged */
export const endsOf = async (
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
