import TinyQueue from 'tinyqueue';
import {
  comparePositions,
  type LogReader,
  type Position,
  type StoredEvent,
} from '../../eventstore/event-store.ts';
import { isBeyond, unlessInterrupted, type Range } from './dependencies.ts';

/** A stream and the position of its first event; null where that is not known. */
export type StreamToRead = { readonly stream: string; readonly first: Position | null };

/** A stream that is being read: the current page, and how many of its events were yielded. */
type Opened = {
  readonly stream: string;
  readonly events: readonly StoredEvent[];
  readonly at: StoredEvent;
  readonly yielded: number;
  readonly isWholePage: boolean;
};

/** About how many events of all streams may be in memory at once; sets the size of a page. */
const mostHeld = 16_000;
const openedAtOnce = 16;

/** The events of these streams in the order of the log. One page of each opened stream is in memory, however long the streams are. */
export async function* inOrder(
  log: LogReader,
  streams: readonly StreamToRead[],
  range: Range,
): AsyncGenerator<StoredEvent> {
  const waiting = streams.toSorted((a, b) => compareBeginnings(a.first, b.first));
  const opened = new TinyQueue<Opened>([], (a, b) => comparePositions(a.at.position, b.at.position));
  const pageSize = Math.max(2, Math.min(200, Math.floor(mostHeld / (streams.length + 1))));
  let next = 0;

  const readPage = async (stream: string, from: bigint): Promise<Opened | null> => {
    const events = await log.readStored(stream, from, pageSize);
    const [at] = events;
    return at ? { stream, events, at, yielded: 0, isWholePage: events.length === pageSize } : null;
  };
  const open = (one: Opened | null): void => {
    if (one && !isBeyond(one.at, range)) opened.push(one);
  };
  const goOn = async ({ stream, events, at, yielded, isWholePage }: Opened): Promise<Opened | null> => {
    const following = events[yielded + 1];
    if (following) return { stream, events, at: following, yielded: yielded + 1, isWholePage };
    return isWholePage ? readPage(stream, at.revision + 1n) : null;
  };

  for (;;) {
    unlessInterrupted(range);
    const first = opened.peek();
    const waits = waiting[next];
    if (waits && (!first || compareBeginnings(waits.first, first.at.position) < 0)) {
      const some = waiting.slice(next, next + openedAtOnce);
      next += some.length;
      for (const one of await Promise.all(some.map(({ stream }) => readPage(stream, 0n)))) open(one);
      continue;
    }
    if (!first) return;
    opened.pop();
    yield first.at;
    open(await goOn(first));
  }
}

/** Streams with an unknown beginning are opened first. */
const compareBeginnings = (a: Position | null, b: Position | null): number =>
  a === null || b === null ? Number(a !== null) - Number(b !== null) : comparePositions(a, b);
