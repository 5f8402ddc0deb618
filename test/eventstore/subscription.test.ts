import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.ts';
import { accountStream, grantStream } from '../../src/domain/streams.ts';
import { type LogMessage, type Position, PositionNotInLog } from '../../src/eventstore/event-store.ts';
import { patience } from '../support/patience.ts';
import { testEventStore } from '../support/servers/test-event-store.ts';

const store = await testEventStore();
afterAll(() => store.close());

const types = ['AuthorizationCodeReplayed'] as const;
const replayed = (at: number): DomainEvent => ({ type: 'AuthorizationCodeReplayed', data: { at } });
let streams = 0;

/** Appends so many events, each batch to a stream of its own, numbered on. */
const write = async (from: number, count: number): Promise<void> => {
  const events = Array.from({ length: count }, (_, index) => ({ event: replayed(from + index) }));
  await store.append(grantStream(`S${(streams += 1)}`), 'no-stream', events);
};

/** Appends events of a type that nobody here asks for. */
const writeOthers = async (count: number): Promise<void> => {
  const event: DomainEvent = { type: 'AccountDisabled', data: { epoch: 1, at: 0 } };
  await store.append(
    accountStream(`U${(streams += 1)}`),
    'no-stream',
    Array.from({ length: count }, () => ({ event })),
  );
};

const numberIn = (message: LogMessage): number =>
  message.kind === 'event' && message.event.event.type === 'AuthorizationCodeReplayed'
    ? message.event.event.data.at
    : Number.NaN;

/** Reads messages until one fits. */
const until = async (
  after: Position | null,
  last: (message: LogMessage) => boolean,
  eventTypes: readonly DomainEvent['type'][] = types,
): Promise<LogMessage[]> => {
  const leave = new AbortController();
  const messages: LogMessage[] = [];
  for await (const message of store.subscribe({ after, eventTypes, signal: leave.signal })) {
    messages.push(message);
    if (last(message)) break;
  }
  leave.abort();
  return messages;
};

const numbersIn = (messages: readonly LogMessage[]): number[] =>
  messages.filter(({ kind }) => kind === 'event').map(numberIn);
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

let start: Position | null;
beforeEach(async () => {
  store.node.faults.clear();
  start = await store.head();
});

describe('following the log', () => {
  test('what is there comes in order, then caught-up, then what is appended later', async () => {
    await write(1, 3);
    const messages = until(start, (message) => numberIn(message) === 5);
    await write(4, 2);
    expect(numbersIn(await messages)).toEqual(range(1, 5));
  });

  test('the position to start after is exclusive', async () => {
    await write(1, 3);
    const [first] = await until(start, ({ kind }) => kind === 'event');
    if (first?.kind !== 'event') throw new Error('no event');
    const rest = await until(first.event.position, ({ kind }) => kind === 'caught-up');
    expect(numbersIn(rest)).toEqual([2, 3]);
  });

  test('only the types asked for come, and checkpoints move on past the others', async () => {
    await writeOthers(1_000);
    await writeOthers(1_000);
    await write(7, 1);
    const messages = await until(start, (message) => numberIn(message) === 7);
    expect(numbersIn(messages)).toEqual([7]);
    expect(messages.map(({ kind }) => kind)).toContain('checkpoint');
  });

  test('a checkpoint waits for the events before it, when the consumer is slow', async () => {
    await write(0, 1);
    const leave = new AbortController();
    const order: bigint[] = [];
    const numbers: number[] = [];
    for await (const batch of store.subscribeBatches({
      after: start,
      eventTypes: types,
      signal: leave.signal,
    })) {
      expect(batch.length).toBeGreaterThan(0);
      for (const message of batch) {
        if (message.kind === 'event') order.push(message.event.position.commit);
        if (message.kind === 'checkpoint') order.push(message.position.commit);
        if (message.kind === 'event') numbers.push(numberIn(message));
      }
      if (numbers.length === 841) break;
      if (numbers.length > 1) continue;
      // More than is taken without a consumer: the client's own buffers fill up.
      for (let round = 0; round < 12; round += 1) {
        await write(1 + round * 70, 70);
        await writeOthers(300);
      }
      await until(start, (message) => numberIn(message) === 840);
    }
    expect(order).toEqual(order.toSorted((a, b) => Number(a - b)));
    expect(numbers).toEqual(range(0, 840));
  });

  test('caught-up comes after everything that was there', async () => {
    await write(1, 900);
    const messages = await until(start, ({ kind }) => kind === 'caught-up');
    expect(numbersIn(messages)).toEqual(range(1, 900));
  });

  test('two readers at the end of the log get the same event, received and decoded once', async () => {
    const leave = new AbortController();
    const newest = new Map<number, LogMessage>();
    const read = async (reader: number) => {
      for await (const message of store.subscribe({ after: start, eventTypes: types, signal: leave.signal }))
        newest.set(reader, message);
    };
    const reading = [read(0), read(1)];
    const isShared = async () => {
      await write(1, 1);
      const stream = grantStream(`S${streams}`);
      const have = (reader: number) => {
        const message = newest.get(reader);
        return message?.kind === 'event' && message.event.stream === stream ? message : undefined;
      };
      await vi.waitUntil(() => have(0) && have(1), { timeout: patience, interval: 5 });
      return have(0) === have(1);
    };
    await expect.poll(isShared).toBe(true);
    leave.abort();
    await Promise.all(reading);
  });

  test('it ends when the signal aborts, and at once when it has aborted before', async () => {
    const leave = new AbortController();
    const messages: LogMessage[] = [];
    for await (const message of store.subscribe({ after: start, eventTypes: types, signal: leave.signal })) {
      messages.push(message);
      setImmediate(() => leave.abort());
    }
    expect(messages).toEqual([{ kind: 'caught-up' }]);
    for await (const message of store.subscribe({ after: start, eventTypes: types, signal: leave.signal })) {
      messages.push(message);
    }
    expect(messages).toHaveLength(1);
  });

  test('a slow consumer loses nothing', async () => {
    await write(1, 1_000);
    const leave = new AbortController();
    const numbers: number[] = [];
    const messages = store.subscribe({ after: start, eventTypes: types, signal: leave.signal });
    for await (const message of messages) {
      if (message.kind === 'event') numbers.push(numberIn(message));
      if (numbers.length === 1) await write(1_001, 1_000);
      if (numbers.length === 2_000) break;
      if (numbers.length % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(numbers).toEqual(range(1, 2_000));
  });
});

describe('after a drop', () => {
  test.each(['OK', 'ABORTED', 'CANCELLED', 'INTERNAL', 'UNAVAILABLE'] as const)(
    'an end with %s is resumed without a gap or a repeat',
    async (status) => {
      const fault = store.node.faults.subscription({ kind: 'end', status, afterEvents: 7 }, { times: 2 });
      await write(1, 60);
      const messages = await until(start, (message) => numberIn(message) === 60);
      expect(fault.hits()).toBe(2);
      expect(numbersIn(messages)).toEqual(range(1, 60));
    },
  );

  test('a subscription of events live is resumed too, and says that it caught up again', async () => {
    const fault = store.node.faults.subscription({ kind: 'end', status: 'UNAVAILABLE', afterEvents: 1 });
    const messages = until(start, (message) => numberIn(message) === 3);
    await write(1, 1);
    await fault.hit;
    await write(2, 2);
    expect(numbersIn(await messages)).toEqual([1, 2, 3]);
    expect((await messages).filter(({ kind }) => kind === 'caught-up').length).toBeGreaterThan(0);
  });
});

test('an older log: a position that it has grown over since ends the subscription, and is not tried again', async () => {
  const { commit } = (await store.head()) ?? { commit: 0n };
  const beyond = { commit: commit + 5_001n, prepare: commit + 5_001n };
  const { signal } = new AbortController();
  const following = (async () => {
    for await (const message of store.subscribe({ after: beyond, eventTypes: types, signal }))
      if (message.kind === 'caught-up') await write(1, 200);
  })();
  await expect(following).rejects.toThrow(PositionNotInLog);
});
