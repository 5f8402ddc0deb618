import { LRUCache } from 'lru-cache';
import { growing } from '../../common/growing.ts';
import { comparePositions, type ExpectedRevision, type Position } from '../event-store.ts';

/** Up to where this process has seen streams: a log that ends earlier is not the newest one. */
export type SeenRevisions = {
  /** −1 for a stream of which nothing is known. */
  of(stream: string): bigint;
  note(stream: string, revision: ExpectedRevision): void;
  /** It was removed permanently. */
  forget(stream: string): void;
  /** The newest event of this process in the log, null before the first one, and how many there are. */
  appended(): { readonly last: Position | null; readonly events: number };
  noteAppended(position: Position, events: number): void;
};

/** The streams used last; an entry takes about a hundred bytes. */
const most = 50_000;

export const makeSeenRevisions = (): SeenRevisions => {
  const seen = new LRUCache<string, bigint>(growing(most));
  let appended: ReturnType<SeenRevisions['appended']> = { last: null, events: 0 };
  return {
    of: (stream) => seen.get(stream) ?? -1n,
    note(stream, revision) {
      if (revision !== 'no-stream' && revision >= (seen.get(stream) ?? 0n)) seen.set(stream, revision);
    },
    forget: (stream) => void seen.delete(stream),
    appended: () => appended,
    noteAppended(position, events) {
      const isNewest = !appended.last || comparePositions(position, appended.last) > 0;
      appended = { last: isNewest ? position : appended.last, events: appended.events + events };
    },
  };
};
