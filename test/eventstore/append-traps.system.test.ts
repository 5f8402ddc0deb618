import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.ts';
import { accountStream } from '../../src/domain/streams.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import {
  AppendOutcomeUnknown,
  type EventStore,
  EventStoreUnavailable,
  InvalidAppend,
} from '../../src/eventstore/event-store.ts';
import { runChild } from './run-child.ts';
import { patient } from '../support/servers/test-event-store.ts';
import { startFakeNode } from '../support/servers/fake-node.ts';
import { startTestNode } from '../support/servers/node.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { quietLogger } from '../support/quiet-logger.ts';

/** The numbers are those of the client's traps in test/eventstore/README.md. */

const node = await startTestNode();
afterAll(() => node.close());
beforeEach(() => node.faults.clear());

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  node.faults.clear();
  await Promise.all(opened.splice(0).map((close) => close()));
});

const impatient = { ...patient, appendMs: 250, readMs: 250, confirmMs: 250 };
const gateway = (options: Partial<Parameters<typeof connectEventStore>[0]> = {}) => {
  const store = connectEventStore({ url: node.url, timeouts: impatient, logger: quietLogger(), ...options });
  opened.push(() => store.close());
  return store;
};

const event: DomainEvent = { type: 'AccountDisabled', data: { epoch: 1, at: 1 } };
const fresh = () => accountStream(randomUUID().replaceAll('-', ''));
const appendOne = (store: EventStore, stream = fresh()) => store.append(stream, 'no-stream', [{ event }]);
const lengthOf = async (store: EventStore, stream: ReturnType<typeof fresh>) =>
  (await store.read(stream)).events.length;

describe('trap 1: data that cannot be serialised', () => {
  test.each([
    ['a bigint', { at: 1n }],
    ['nothing at all', undefined],
    ['something undefined', { at: undefined }],
    ['a date', { at: new Date() }],
    ['a circle', Object.assign({ at: 1 }, { self: {} as unknown }, {})],
  ])('the gateway refuses %s before the call', async (_, data) => {
    if (data && 'self' in data) data.self = data;
    const odd = { type: 'AccountDisabled', data } as unknown as DomainEvent;
    const store = gateway();
    await expect(store.append(fresh(), 'no-stream', [{ event: odd }])).rejects.toThrow(InvalidAppend);
    expect(await appendOne(store)).toMatchObject({ ok: true });
  });

  test('the gateway refuses an id that is no string', async () => {
    const append = gateway().append(fresh(), 'no-stream', [{ id: 7 as unknown as string, event }]);
    await expect(append).rejects.toThrow(InvalidAppend);
  });
});

describe('trap 2: no deadline on appends; trap 18: a retry during its original is dropped', () => {
  test.each(['lost', 'commit-then-drop', 'timeout'] as const)(
    'the gateway asks again with the same ids when its append is %s, and it is there once',
    async (kind) => {
      const fault = node.faults.append({ kind }, { times: 2 });
      const store = gateway();
      const stream = fresh();
      expect(await appendOne(store, stream)).toMatchObject({ ok: true, revision: 0n });
      expect(fault.hits()).toBe(2);
      expect(await lengthOf(store, stream)).toBe(1);
    },
  );

  test.each([
    [{ kind: 'lost' }, 1],
    [{ kind: 'end', status: 'INTERNAL' }, 2],
  ] as const)('trap 7: the gateway starts over with a new client: %j, %i times', async (first, times) => {
    const fault = node.faults.features(first, { times });
    expect(await appendOne(gateway())).toMatchObject({ ok: true });
    expect(fault.hits()).toBe(times);
  });

  test('when every attempt ends without a word, the gateway says that it may be written', async () => {
    node.faults.append({ kind: 'commit-then-drop' }, { times: 100 });
    const store = gateway({ timeouts: { ...impatient, outcomeMs: 700 } });
    const stream = fresh();
    await expect(appendOne(store, stream)).rejects.toThrow(AppendOutcomeUnknown);
    expect(await lengthOf(store, stream)).toBe(1);
  });

  test('when nothing was ever sent, the gateway says that nothing is written', async () => {
    node.faults.features({ kind: 'lost' }, { times: 100 });
    const store = gateway({ timeouts: { ...impatient, unavailableMs: 400 } });
    const stream = fresh();
    await expect(appendOne(store, stream)).rejects.toThrow(EventStoreUnavailable);
    node.faults.clear();
    expect(await lengthOf(store, stream)).toBe(0);
  });

  test('one lost reply does not disturb concurrent appends', async () => {
    const fault = node.faults.append({ kind: 'lost' });
    const store = gateway();
    const streams = Array.from({ length: 40 }, fresh);
    const results = await Promise.all(streams.map((stream) => appendOne(store, stream)));
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(fault.hits()).toBe(1);
  });
});

describe('trap 3: the pending appends of a process are in one table', () => {
  test('two gateways in a process both get through, and no late reply throws', async () => {
    const other = await startTestNode();
    const [here, there] = [gateway(), gateway({ url: other.url })];
    opened.push(() => other.close());
    await Promise.all([appendOne(here), appendOne(there)]);
    let reply: () => void = () => undefined;
    const held = node.faults.append({ kind: 'delayed-reply', until: new Promise<void>((r) => (reply = r)) });
    other.faults.append({ kind: 'end', status: 'UNAVAILABLE', written: false });
    const stream = fresh();
    const waiting = appendOne(here, stream);
    await held.hit;
    expect(await appendOne(there)).toMatchObject({ ok: true });
    reply();
    expect(await waiting).toMatchObject({ ok: true, revision: 0n });
    expect(await lengthOf(here, stream)).toBe(1);
  });

  test('appends survive when reads and subscriptions of the same gateway fail', async () => {
    let reply: () => void = () => undefined;
    const store = gateway({ timeouts: {} });
    await appendOne(store);
    const held = node.faults.append({ kind: 'delayed-reply', until: new Promise<void>((r) => (reply = r)) });
    const waiting = appendOne(store);
    await held.hit;
    node.faults.read({ kind: 'end', status: 'UNAVAILABLE', afterEvents: 0 });
    await store.read(fresh());
    reply();
    expect(await waiting).toMatchObject({ ok: true });
    expect(held.hits()).toBe(1);
  });
});

describe('trap 5: throwOnAppendFailure=false tells wrong revisions', () => {
  test('the gateway does not connect that way, and tells the true revision', async () => {
    expect(() =>
      connectEventStore({ url: `${node.url}&throwOnAppendFailure=false`, logger: quietLogger() }),
    ).toThrow(/throwOnAppendFailure/);
    const store = gateway();
    const stream = fresh();
    await store.append(
      stream,
      'no-stream',
      Array.from({ length: 5 }, () => ({ event })),
    );
    expect(await appendOne(store, stream)).toEqual({ ok: false, actual: 4n });
  });
});

describe('trap 6: a server that is down answers with an error of another kind first', () => {
  test('the gateway says that the store is unavailable and nothing is written', async () => {
    const down = await startFakeNode({});
    await down.close();
    const store = gateway({ url: down.url, timeouts: { ...impatient, unavailableMs: 200 } });
    await expect(appendOne(store)).rejects.toThrow(EventStoreUnavailable);
    await expect(store.read(fresh())).rejects.toThrow(EventStoreUnavailable);
    await expect(store.head()).rejects.toThrow(EventStoreUnavailable);
  });
});

describe('trap 11: errors of appends have no message and no code', () => {
  test("the gateway's errors name the stream and what happened", async () => {
    node.faults.append({ kind: 'timeout' }, { times: 100 });
    const store = gateway({ timeouts: { outcomeMs: 1 } });
    await expect(appendOne(store, accountStream('T11'))).rejects.toThrow(
      'account-T11: the append may be written: DeadlineExceededError',
    );
  });
});

describe('trap 12: a client that has appended keeps the process alive', () => {
  test('the process of the gateway ends after close', async () => {
    expect(await runChild('append-and-close.ts', node.url)).toEqual(['written']);
  });
});

describe('trap 16: the deadline of an append is a time of day', () => {
  test('the gateway allows for clocks that differ', async () => {
    expect(await runChild('append-and-close.ts', node.url, '-30000')).toEqual(['written']);
  });
});

describe('trap 18: a retry during its original is dropped', () => {
  test('the gateway waits for its original before it asks again', async () => {
    let reply: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (reply = resolve));
    const held = node.faults.append({ kind: 'delayed-reply', until }, { times: 100 });
    const store = gateway({ timeouts: { appendMs: 60_000 } });
    const waiting = appendOne(store);
    await held.hit;
    reply();
    expect(await waiting).toMatchObject({ ok: true });
    expect(held.hits()).toBe(1);
  });
});

describe('trap 20: what the client cannot write yet is rejected to nobody', () => {
  test('every append of the gateway gets through, once, when the wire is stuck and then cut', async () => {
    const proxy = await startTcpProxy(node.port);
    opened.push(() => proxy.close());
    const store = gateway({ url: proxy.url, timeouts: { ...patient, appendMs: 45_000 } });
    await appendOne(store);
    proxy.freeze();
    const streams = Array.from({ length: 300 }, fresh);
    const large: DomainEvent = {
      type: 'PasswordSet',
      data: { passwordHash: 'x'.repeat(30_000), at: 1, ended: null },
    };
    const appends = streams.map((stream) => store.append(stream, 'no-stream', [{ event: large }]));
    await new Promise((resolve) => setTimeout(resolve, 300));
    proxy.cut();
    const results = await Promise.all(appends);
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(await Promise.all(streams.map((stream) => lengthOf(store, stream)))).toEqual(streams.map(() => 1));
  });
});
