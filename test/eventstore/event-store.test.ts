import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.ts';
import { accountStream, grantStream } from '../../src/domain/streams.ts';
import { testEventStore } from '../support/servers/test-event-store.ts';

const store = await testEventStore();
afterAll(() => store.close());

const replayed = (at: number): DomainEvent => ({ type: 'AuthorizationCodeReplayed', data: { at } });

describe('appending', () => {
  test('events come back as they went in, with ids, revisions, positions and metadata', async () => {
    const id = randomUUID();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const metadata = { actor: 'break-glass', correlationId: 'request-1', traceparent };
    const appended = await store.append(grantStream('A1'), 'no-stream', [
      { id, event: replayed(1), metadata },
      { event: replayed(2) },
    ]);
    expect(appended).toMatchObject({ ok: true, revision: 1n });
    const { events, revision } = await store.read(grantStream('A1'));
    expect(revision).toBe(1n);
    expect(events.map(({ event }) => event)).toEqual([replayed(1), replayed(2)]);
    expect(events[0]).toMatchObject({ id, metadata, stream: 'grant-A1', revision: 0n });
    expect(events[1]?.metadata).toEqual({});
    expect(appended).toMatchObject({ position: events[1]?.position });
  });

  test('another revision than the expected one is a value that says which it is', async () => {
    const stream = grantStream('A2');
    await store.append(stream, 'no-stream', [{ event: replayed(1) }, { event: replayed(2) }]);
    expect(await store.append(stream, 'no-stream', [{ event: replayed(3) }])).toEqual({
      ok: false,
      actual: 1n,
    });
    expect(await store.append(stream, 0n, [{ event: replayed(3) }])).toEqual({ ok: false, actual: 1n });
    expect(await store.append(grantStream('A3'), 4n, [{ event: replayed(3) }])).toEqual({
      ok: false,
      actual: 'no-stream',
    });
    expect((await store.read(stream)).events).toHaveLength(2);
  });

  test('the same ids at the same revision are written once and answered alike', async () => {
    const events = [{ id: randomUUID(), event: replayed(1) }];
    const first = await store.append(grantStream('A4'), 'no-stream', events);
    await store.append(grantStream('A4'), 0n, [{ event: replayed(2) }]);
    expect(await store.append(grantStream('A4'), 'no-stream', events)).toEqual(first);
    expect((await store.read(grantStream('A4'))).events).toHaveLength(2);
  });

  test('reads of a stream at the same time share the next call, and see what was there before they asked', async () => {
    const stream = grantStream('A8');
    await store.append(stream, 'no-stream', [{ event: replayed(1) }]);
    const first = store.read(stream);
    await store.append(stream, 0n, [{ event: replayed(2) }]);
    const [, ...others] = await Promise.all([first, store.read(stream), store.read(stream)]);
    expect(others.map(({ revision }) => revision)).toEqual([1n, 1n]);
    const [alone, ...together] = await Promise.all([
      store.read(stream),
      store.read(stream),
      store.read(stream),
    ]);
    expect(together[0]).toBe(together[1]);
    expect(together[0]).not.toBe(alone);
  });

  test('a stream can be read backwards, a part at a time, to its beginning and not further', async () => {
    const stream = grantStream('A6');
    await store.append(
      stream,
      'no-stream',
      [1, 2, 3, 4, 5].map((at) => ({ event: replayed(at) })),
    );
    const seen: unknown[] = [];
    let from: bigint | 'end' | null = 'end';
    while (from !== null) {
      const part = await store.readBack(stream, from, 2);
      seen.push([part.revision, part.events.map(({ event }) => (event.data as { at: number }).at)]);
      from = part.further;
    }
    expect(seen).toEqual([
      [4n, [4, 5]],
      [2n, [2, 3]],
      [0n, [1]],
    ]);
    expect(await store.readBack(grantStream('A7'), 'end', 2)).toEqual({
      events: [],
      revision: 'no-stream',
      further: null,
    });
  });

  test('of writers at one revision exactly one gets through', async () => {
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        store.append(grantStream('A5'), 'no-stream', [{ event: replayed(at) }]),
      ),
    );
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    expect((await store.read(grantStream('A5'))).events).toHaveLength(1);
  });
});

describe('reading', () => {
  test('a stream that does not exist is empty', async () => {
    expect(await store.read(accountStream('nobody'))).toEqual({ events: [], revision: 'no-stream' });
  });

  test('a name that no stream can have is empty, without a call', async () => {
    const name = accountStream(`${'x'.repeat(70_000)}\n$$ü`);
    expect(await store.read(name)).toEqual({ events: [], revision: 'no-stream' });
    expect(await store.read('$$' as never)).toEqual({ events: [], revision: 'no-stream' });
  });

  test('the head is the position of the newest event', async () => {
    const appended = await store.append(grantStream('B1'), 'no-stream', [{ event: replayed(1) }]);
    expect(appended).toMatchObject({ ok: true, position: await store.head() });
  });
});
