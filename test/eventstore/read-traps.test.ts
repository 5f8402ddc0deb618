import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.ts';
import { accountStream } from '../../src/domain/streams.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { makeSeenRevisions } from '../../src/eventstore/client/seen-revisions.ts';
import { keepStreams, makeEsdbRead } from '../../src/eventstore/client/esdb-read.ts';
import { makeTakeEvents } from '../../src/eventstore/client/take-events.ts';
import { silent as silentLogger } from '../../src/eventstore/logger.ts';
import { defaultTimeouts } from '../../src/eventstore/client/timeouts.ts';
import { EventStoreUnavailable, type LogMessage, type Position } from '../../src/eventstore/event-store.ts';
import { patient } from '../support/servers/test-event-store.ts';
import { checkpoint, confirmation, type ReadCall, startFakeNode } from '../support/servers/fake-node.ts';
import { startTestNode } from '../support/servers/node.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { quietLogger } from '../support/quiet-logger.ts';

/** The numbers are those of the client's traps in test/eventstore/README.md. */

/** The client by itself, in a process of its own: it changes with the package only, and is looked at where there is time. */

const node = await startTestNode();
afterAll(() => node.close());
beforeEach(() => node.faults.clear());

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  node.faults.clear();
  for (const close of opened.splice(0).reverse()) await close();
});

const impatient = { ...patient, appendMs: 250, readMs: 250, confirmMs: 250 };
const gateway = (options: Partial<Parameters<typeof connectEventStore>[0]> = {}) => {
  const store = connectEventStore({ url: node.url, timeouts: impatient, logger: quietLogger(), ...options });
  opened.push(() => store.close());
  return store;
};
const bare = (url = node.url) => {
  const client = EventStoreDBClient.connectionString(url);
  opened.push(() => client.dispose());
  return client;
};

const types = ['AccountDisabled'] as const;
const disabled = (at: number): DomainEvent => ({ type: 'AccountDisabled', data: { epoch: 1, at } });
const fresh = () => accountStream(randomUUID().replaceAll('-', ''));
const write = async (from: number, count: number) => {
  const stream = fresh();
  const events = Array.from({ length: count }, (_, index) => ({ event: disabled(from + index) }));
  await gateway({ timeouts: {} }).append(stream, 'no-stream', events);
  return stream;
};

/** Follows the log until so many events have come. */
const follow = async (store: ReturnType<typeof gateway>, after: Position | null, count: number) => {
  const leave = new AbortController();
  const messages: LogMessage[] = [];
  for await (const message of store.subscribe({ after, eventTypes: types, signal: leave.signal })) {
    messages.push(message);
    if (messages.filter(({ kind }) => kind === 'event').length === count) break;
  }
  return messages;
};

const numbersIn = (messages: readonly LogMessage[]): number[] =>
  messages.flatMap((message) =>
    message.kind === 'event' && message.event.event.type === 'AccountDisabled'
      ? [message.event.event.data.at]
      : [],
  );

describe('trap 2: no deadline on reads and subscriptions', () => {
  test('the gateway asks again', async () => {
    const stream = await write(1, 3);
    const fault = node.faults.read({ kind: 'lost' });
    expect((await gateway().read(stream)).events).toHaveLength(3);
    expect(fault.hits()).toBe(1);
  });

  test('the gateway gives up when nobody ever answers', async () => {
    node.faults.read({ kind: 'lost' }, { times: 100 });
    const read = gateway({ timeouts: { ...impatient, unavailableMs: 400 } }).read(fresh());
    await expect(read).rejects.toThrow(EventStoreUnavailable);
  });

  test('a subscription that is never confirmed is asked for again', async () => {
    const store = gateway();
    const start = await store.head();
    await write(1, 3);
    const fault = node.faults.subscription({ kind: 'lost' });
    expect(numbersIn(await follow(store, start, 3))).toEqual([1, 2, 3]);
    expect(fault.hits()).toBe(1);
  });

  test.each(['UNAVAILABLE', 'CANCELLED', 'INTERNAL', 'ABORTED'] as const)(
    'a read that ends half-way with %s is read again from its start',
    async (status) => {
      const stream = await write(1, 5);
      const fault = node.faults.read({ kind: 'end', status, afterEvents: 2 });
      const { events, revision } = await gateway().read(stream);
      expect(events.map(({ revision: at }) => at)).toEqual([0n, 1n, 2n, 3n, 4n]);
      expect(revision).toBe(4n);
      expect(fault.hits()).toBe(1);
    },
  );

  test('a read that is cancelled by close is an error and not half a stream', async () => {
    let asked: () => void = () => undefined;
    const hasAsked = new Promise<void>((resolve) => (asked = resolve));
    const silent = await startFakeNode({ read: () => asked() });
    opened.push(() => silent.close());
    const store = connectEventStore({ url: silent.url, logger: quietLogger() });
    const outcome = store.read(fresh()).catch((error: unknown) => error);
    await hasAsked;
    await store.close();
    expect(await outcome).toBeInstanceOf(EventStoreUnavailable);
  });
});

describe('trap 8: leaving a loop leaves the call open', () => {
  /** Confirms subscriptions, sends one checkpoint, and knows which calls are open. */
  const countingNode = async () => {
    const open = new Set<ReadCall>();
    const waiting: (() => void)[] = [];
    const changed = () => waiting.splice(0).forEach((wake) => wake());
    const fake = await startFakeNode({
      read: (call) => {
        open.add(call);
        changed();
        call.on('cancelled', () => {
          open.delete(call);
          changed();
        });
        call.write(confirmation());
        call.write(checkpoint(500n));
      },
    });
    opened.push(() => fake.close());
    const until = async (count: number): Promise<number> => {
      while (open.size !== count) await new Promise<void>((resolve) => waiting.push(resolve));
      return open.size;
    };
    return { url: fake.url, until };
  };

  test.each(['break', 'throw', 'abort'] as const)('the gateway cancels the call on %s', async (how) => {
    const { url, until } = await countingNode();
    const store = gateway({ url, timeouts: {} });
    const leave = new AbortController();
    const following = (async () => {
      for await (const message of store.subscribe({ after: null, eventTypes: types, signal: leave.signal })) {
        if (message.kind !== 'checkpoint') continue;
        if (how === 'break') break;
        if (how === 'throw') throw new Error('the consumer failed');
        leave.abort();
      }
    })();
    await following.catch(() => undefined);
    expect(await until(0)).toBe(0);
  });

  test('the gateway cancels a read that it gives up', async () => {
    const { url, until } = await countingNode();
    const store = gateway({ url, timeouts: { ...impatient, unavailableMs: 100 } });
    await expect(store.read(fresh())).rejects.toThrow(EventStoreUnavailable);
    expect(await until(0)).toBe(0);
  });

  test('close cancels what is open', async () => {
    const { url, until } = await countingNode();
    const store = connectEventStore({ url, logger: quietLogger() });
    const leave = new AbortController();
    const messages = store.subscribe({ after: null, eventTypes: types, signal: leave.signal });
    const iterator = messages[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toMatchObject({ kind: 'checkpoint' });
    const next = iterator.next();
    await store.close();
    expect((await next).done).toBe(true);
    expect(await until(0)).toBe(0);
  });
});

describe('trap 9: an error without a listener ends the process', () => {
  test('an error after the gateway has given up a read has a listener', async () => {
    const late = new Error('late');
    let emitted: () => void = () => undefined;
    const afterwards = new Promise<void>((resolve) => (emitted = resolve));
    const cancel = function (this: Readable) {
      setImmediate(() => {
        this.emit('error', late);
        emitted();
      });
      return Promise.resolve();
    };
    const silent = () => Object.assign(new Readable({ objectMode: true, read: () => undefined }), { cancel });
    const take = makeTakeEvents({
      isSkipped: () => Promise.resolve(false),
      personal: undefined,
      logger: silentLogger,
    });
    const kept = keepStreams(
      {
        readers: {
          current: () => ({
            esdb: { readStream: silent } as unknown as EventStoreDBClient,
            retired: false,
          }),
        },
        timeouts: { ...defaultTimeouts, readMs: 10, unavailableMs: 1 },
        logger: silentLogger,
        seen: makeSeenRevisions(),
        confirmLeader: () => Promise.resolve(),
        closed: new AbortController().signal,
        answered: { at: 0 },
      },
      [],
    );
    const read = makeEsdbRead(kept, take);
    await expect(read(fresh())).rejects.toThrow(EventStoreUnavailable);
    // Without a listener this would be an uncaught exception.
    await expect(afterwards).resolves.toBeUndefined();
  });

  test('a wire that is cut after a subscription was left does no harm', async () => {
    const proxy = await startTcpProxy(node.port);
    opened.push(() => proxy.close());
    const store = gateway({ url: proxy.url, timeouts: {} });
    const start = await store.head();
    await write(1, 200);
    expect(numbersIn(await follow(store, start, 1))).toEqual([1]);
    proxy.cut();
    expect(numbersIn(await follow(store, start, 200))).toHaveLength(200);
  });
});

describe('trap 10: a checkpoint callback that rejects stalls the subscription', () => {
  test('a consumer that fails at a checkpoint harms only itself', async () => {
    const store = gateway({ timeouts: {} });
    const start = await store.head();
    await write(1, 300);
    await write(301, 900);
    const failing = (async () => {
      const eventTypes = ['AccountEnabled'] as const;
      const { signal } = new AbortController();
      for await (const message of store.subscribe({ after: start, eventTypes, signal }))
        if (message.kind === 'checkpoint') throw new Error('the consumer failed');
    })();
    const others = follow(store, start, 1_200);
    await expect(failing).rejects.toThrow('the consumer failed');
    expect(numbersIn(await others)).toHaveLength(1_200);
  });
});

test('trap 15: the revision of stream metadata is a position: the gateway offers no stream metadata', async () => {
  const client = bare();
  const stream = fresh();
  await client.setStreamMetadata(stream, { maxCount: 5 });
  const { metastreamRevision } = await client.getStreamMetadata(stream);
  expect(metastreamRevision).not.toBe(0n);
  expect(Object.keys(gateway()).sort()).toEqual([
    'append',
    'close',
    'confirmLeader',
    'eventAt',
    'head',
    'isUnreleased',
    'missingRights',
    'outcomes',
    'probe',
    'read',
    'readBack',
    'readEach',
    'readEnd',
    'readLog',
    'readStored',
    'remove',
    'subscribe',
    'subscribeBatches',
  ]);
});

describe('trap 21: a subscription that ends is not resumed', () => {
  test('the gateway goes on when the wire is cut again and again', async () => {
    const proxy = await startTcpProxy(node.port);
    opened.push(() => proxy.close());
    const store = gateway({ url: proxy.url, timeouts: {} });
    const start = await store.head();
    const following = follow(store, start, 9);
    for (let round = 0; round < 3; round += 1) {
      await write(round * 3, 3);
      proxy.cut();
    }
    expect(numbersIn(await following)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

test('events of others in the log are passed over', async () => {
  const store = gateway({ timeouts: {} });
  const start = await store.head();
  await bare().appendToStream('theirs', [
    jsonEvent({ type: 'AccountDisabledToo', data: { at: 1 } }),
    jsonEvent({ type: 'Other', data: {} }),
  ]);
  await write(1, 1);
  expect(numbersIn(await follow(store, start, 1))).toEqual([1]);
});
