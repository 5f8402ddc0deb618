import { comparePositions, type StoredEvent } from '../../eventstore/event-store.ts';

/** Merges two sequences of events, each in the order of the log. */
export async function* merged(
  held: readonly StoredEvent[],
  read: AsyncIterable<StoredEvent>,
): AsyncGenerator<StoredEvent> {
  let next = 0;
  for await (const event of read) {
    for (let one = held[next]; one && comparePositions(one.position, event.position) < 0; one = held[next]) {
      yield one;
      next += 1;
    }
    yield event;
  }
  yield* held.slice(next);
}
