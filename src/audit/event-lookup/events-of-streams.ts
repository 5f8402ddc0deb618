import pMap from 'p-map';
import { comparePositions, type LogReader, type StoredEvent } from '../../eventstore/event-store.ts';
import { isBeyond, unlessInterrupted, type Range } from './dependencies.ts';

const readAtOnce = 16;
/** Records and activations change rarely: one read is enough for nearly all. */
const pageSize = 100;

/** The events of many short streams, in the order of the log, all in memory. */
export const eventsOfStreams = async (
  log: LogReader,
  streams: readonly string[],
  range: Range,
): Promise<readonly StoredEvent[]> => {
  const found: StoredEvent[] = [];
  const readAll = async (stream: string): Promise<void> => {
    unlessInterrupted(range);
    for await (const event of wholeStream(log, stream)) {
      if (isBeyond(event, range)) return;
      found.push(event);
    }
  };
  await pMap(streams, readAll, { concurrency: readAtOnce });
  return found.toSorted((a, b) => comparePositions(a.position, b.position));
};

async function* wholeStream(log: LogReader, stream: string): AsyncGenerator<StoredEvent> {
  let from = 0n;
  for (;;) {
    const page = await log.readStored(stream, from, pageSize);
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    from = last.revision + 1n;
  }
}
