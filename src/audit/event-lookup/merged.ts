import { comparePositions, type StoredEvent } from '../../eventstore/event-store.ts';

type Events = Iterable<StoredEvent> | AsyncIterable<StoredEvent>;

export async function* merged(left: Events, right: Events): AsyncGenerator<StoredEvent> {
  const [a, b] = [inTurn(left), inTurn(right)];
  try {
    let [first, second] = [await a.next(), await b.next()];
    while (!first.done || !second.done) {
      const isFirst =
        second.done || (!first.done && comparePositions(first.value.position, second.value.position) <= 0);
      if (isFirst && !first.done) {
        yield first.value;
        first = await a.next();
      } else if (!second.done) {
        yield second.value;
        second = await b.next();
      }
    }
  } finally {
    await Promise.all([a.return(undefined), b.return(undefined)]);
  }
}

async function* inTurn(events: Events): AsyncGenerator<StoredEvent, undefined> {
  yield* events;
}
