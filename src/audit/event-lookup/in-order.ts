import TinyQueue from 'tinyqueue';
import {
  comparePositions,
  type LogReader,
  type Position,
  type StoredEvent,
} from '../../eventstore/event-store.ts';
import { isBeyond, unlessInterrupted, type Range } from './dependencies.ts';

/** A stream and where it begins; null where that is not known. */
export type StreamToRead = { readonly stream: string; readonly first: Position | null };

/** A stream that is being read: what was read of it, and how much of that was told. */
type Opened = {
  readonly stream: string;
  readonly events: readonly StoredEvent[];
  readonly at: StoredEvent;
  readonly told: number;
  readonly isWholePage: boolean;
};

/** Events of all streams that may be held at a time, about: a page is as large as that allows. */
const mostHeld = 16_000;
const openedAtOnce = 16;

/**
 * The events of these streams in the order of the log. A stream is opened when the telling comes to where it begins, and holds a page
 * of its events: what is held does not grow with how long the streams are.
 */
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
    return at ? { stream, events, at, told: 0, isWholePage: events.length === pageSize } : null;
  };
  const open = (one: Opened | null): void => {
    if (one && !isBeyond(one.at, range)) opened.push(one);
  };
  const goOn = async ({ stream, events, at, told, isWholePage }: Opened): Promise<Opened | null> => {
    const following = events[told + 1];
    if (following) return { stream, events, at: following, told: told + 1, isWholePage };
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

/** What begins nobody knows where is opened first. */
const compareBeginnings = (a: Position | null, b: Position | null): number =>
  a === null || b === null ? Number(a !== null) - Number(b !== null) : comparePositions(a, b);
