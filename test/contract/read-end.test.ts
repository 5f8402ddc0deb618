import { afterAll, describe, expect, test } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.ts';
import { grantStream } from '../../src/domain/streams.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import type { EventStore } from '../../src/eventstore/event-store.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { contract, newStream } from '../../packages/eventstore-node/test/contract/contract.ts';
import { quietLogger } from '../support/quiet-logger.ts';

const server = contract();
const opened: EventStore[] = [];
afterAll(() => Promise.all(opened.map((store) => store.close())));

const replayed = (at: number): DomainEvent => ({ type: 'AuthorizationCodeReplayed', data: { at } });
const fresh = () => grantStream(newStream('x').slice('x-'.length).toUpperCase());

describe.each([
  ['the server', () => connectEventStore({ url: server.url, logger: quietLogger() })],
  ['memory', () => memoryStore()],
])('GR-02: a few events from one end of a stream, from %s', (_, open) => {
  const setUp = async (count: number) => {
    const store = open();
    opened.push(store);
    const stream = fresh();
    if (count > 0)
      await store.append(
        stream,
        'no-stream',
        Array.from({ length: count }, (__, at) => ({ event: replayed(at) })),
      );
    return async (end: 'first' | 'last', wanted: number) =>
      (await store.readEnd(stream, end, wanted)).map(({ revision, event }) => {
        expect(event).toEqual(replayed(Number(revision)));
        return Number(revision);
      });
  };

  test('are the oldest or the newest, the oldest of them first, and never more than there are', async () => {
    const readEnd = await setUp(5);
    expect(await readEnd('first', 2)).toEqual([0, 1]);
    expect(await readEnd('last', 2)).toEqual([3, 4]);
    expect(await readEnd('first', 1)).toEqual([0]);
    expect(await readEnd('last', 1)).toEqual([4]);
    for (const end of ['first', 'last'] as const) expect(await readEnd(end, 9)).toEqual([0, 1, 2, 3, 4]);
  });

  test('are none of a stream that does not exist, and none where none is wanted', async () => {
    const [none, some] = [await setUp(0), await setUp(2)];
    for (const end of ['first', 'last'] as const) {
      expect(await none(end, 3)).toEqual([]);
      expect(await some(end, 0)).toEqual([]);
    }
  });
});
