import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LogReader, StoredEvent } from '../../src/eventstore/event-store.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { testEventStore } from '../support/servers/test-event-store.ts';

const ended = { type: 'SessionEnded', data: { at: 1 } } as const;
const resumed = { type: 'AddonResumed', data: { at: 2 } } as const;

const collect = async (events: AsyncIterable<StoredEvent>): Promise<readonly StoredEvent[]> => {
  const all: StoredEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
};

const kinds = {
  'the event store': () => testEventStore(),
  'the one in memory': () => Promise.resolve(memoryStore()),
};

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('the log as it is stored, by %s', (kind) => {
  let store: Awaited<ReturnType<(typeof kinds)[typeof kind]>>;
  const signal = new AbortController().signal;
  const read = async (options: Omit<Parameters<LogReader['readLog']>[0], 'signal' | 'after'>) =>
    (await collect(store.readLog({ after: null, ...options, signal }))).map(
      ({ stream, revision }) => `${stream} ${revision}`,
    );
  beforeAll(async () => {
    store = await kinds[kind]();
    await store.append('session-1', 'no-stream', [{ event: ended, metadata: { actor: 'somebody' } }]);
    await store.append('addon-1', 'no-stream', [{ event: resumed }]);
    await store.append('session-1', 0n, [{ event: ended }]);
    await store.append('session-10', 'no-stream', [{ event: ended }]);
  });
  afterAll(() => store.close());

  test('comes whole and in its order, and ends', async () => {
    expect(await read({})).toEqual(['session-1 0', 'addon-1 0', 'session-1 1', 'session-10 0']);
  });

  test('comes by type, by stream and by the beginning of a stream’s name', async () => {
    expect(await read({ only: { eventTypes: ['AddonResumed'] } })).toEqual(['addon-1 0']);
    expect(await read({ only: { streams: [{ name: 'session-1' }] } })).toEqual([
      'session-1 0',
      'session-1 1',
    ]);
    expect(await read({ only: { streams: [{ prefix: 'session-' }, { name: 'addon-1' }] } })).toHaveLength(4);
  });

  test('begins behind a position and ends with one', async () => {
    const all = await collect(store.readLog({ after: null, signal }));
    const [first, , third] = all;
    const some = await collect(
      store.readLog({ after: first?.position ?? null, ...(third && { until: third.position }), signal }),
    );
    expect(some).toEqual(all.slice(1, 3));
  });

  test('has what was written, with the version of its schema', async () => {
    const [event] = await store.readStored('session-1', 0n, 1);
    expect(event).toMatchObject({
      stream: 'session-1',
      revision: 0n,
      type: 'SessionEnded',
      data: { at: 1 },
      metadata: { version: 1, actor: 'somebody' },
    });
    expect(await store.readStored('session-1', 1n, 10)).toHaveLength(1);
    expect(await store.readStored('session-1', 2n, 10)).toEqual([]);
    expect(await store.readStored('session-2', 0n, 10)).toEqual([]);
  });
});
