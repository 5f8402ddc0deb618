import type { LogReader, Position, StoredEvent } from '../../eventstore/event-store.ts';
import { leafOf } from '../proofs/stored-leaf.ts';
import type { LogTree } from './log-tree.ts';
import { damaged, findIn, tileWidth } from './tile.ts';

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
