import { afterAll, afterEach, expect, test } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.ts';
import { accountStream } from '../../src/domain/streams.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { EventStoreUnavailable, LogBehind } from '../../src/eventstore/event-store.ts';
import { testEventStore } from '../support/servers/test-event-store.ts';
import { quietLogger } from '../support/quiet-logger.ts';

const store = await testEventStore();
afterEach(() => store.node.faults.clear());
afterAll(() => store.close());

const event = (epoch: number): DomainEvent => ({ type: 'AccountDisabled', data: { epoch, at: 1 } });
let streams = 0;
const fresh = () => accountStream(`C${++streams}`);

/** A stream with two events, and a node that can answer as before the second one. */
const streamOfTwo = async () => {
  const stream = fresh();
  const first = await store.append(stream, 'no-stream', [{ event: event(1) }]);
  if (!first.ok) throw new Error('not written');
  await store.append(stream, 0n, [{ event: event(2) }]);
  const asOf = { kind: 'as-of', position: first.position.commit } as const;
  return { stream, stale: (times: number) => store.node.faults.read(asOf, { times }) };
};

test.each([
  ['whole', async (stream: ReturnType<typeof fresh>) => (await store.read(stream)).revision],
  [
    'backwards',
    async (stream: ReturnType<typeof fresh>) => (await store.readBack(stream, 'end', 1)).revision,
  ],
  ['last', async (stream: ReturnType<typeof fresh>) => (await store.readEnd(stream, 'last', 1))[0]?.revision],
  [
    'first',
    async (stream: ReturnType<typeof fresh>) => (await store.readEnd(stream, 'first', 9)).at(-1)?.revision,
  ],
])(
  'FX-42: a read (%s) that ends before what this process wrote is repeated once the leader is confirmed, and fails while it still does',
  async (_, revisionOf) => {
    const { stream, stale } = await streamOfTwo();
    const once = stale(1);
    expect(await revisionOf(stream)).toBe(1n);
    expect(once.hits()).toBe(1);
    stale(Infinity);
    await expect(revisionOf(stream)).rejects.toThrow(EventStoreUnavailable);
    store.node.faults.clear();
    expect(await revisionOf(stream)).toBe(1n);
  },
);

test('FX-42: a stream that this process has only read is remembered, too, and so is one that is missing', async () => {
  const { stream } = await streamOfTwo();
  const reader = connectEventStore({ url: store.node.url, logger: quietLogger() });
  await reader.read(stream);
  store.node.faults.read({ kind: 'stale' }, { times: Infinity });
  await expect(reader.read(stream)).rejects.toThrow(EventStoreUnavailable);
  await reader.close();
});

test('FX-42: where the leader is confirmed, and the stream still ends too early, nothing is concluded from that', async () => {
  const { stream, stale } = await streamOfTwo();
  const [isStale, passes] = [stale(1), { skip: 1 }];
  store.node.faults.read({ kind: 'stale' }, passes);
  await expect(store.read(stream)).rejects.toThrow(LogBehind);
  expect(isStale.hits()).toBe(1);
});

test('FX-42: a node that acknowledges no append, or does not read what it acknowledged, is not confirmed', async () => {
  await store.confirmLeader();
  store.node.faults.append({ kind: 'lost' });
  await expect(store.confirmLeader()).rejects.toThrow(EventStoreUnavailable);
  const head = await store.head();
  store.node.faults.read({ kind: 'as-of', position: head?.commit ?? 0n });
  await expect(store.confirmLeader()).rejects.toThrow(EventStoreUnavailable);
  await store.confirmLeader();
});

test('FX-42: a stream that retention removed reads as empty, also for a process that has seen its events', async () => {
  const { stream } = await streamOfTwo();
  const other = connectEventStore({ url: store.node.url, logger: quietLogger() });
  await other.remove(stream, 1n);
  await other.close();
  expect(await store.read(stream)).toEqual({ events: [], revision: 'no-stream' });
});
