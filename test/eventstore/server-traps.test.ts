import { randomUUID } from 'node:crypto';
import { EventStoreDBClient } from '@eventstore/db-client';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.ts';
import { accountStream, type StreamName } from '../../src/domain/streams.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { InvalidAppend, LogBehind, type LogMessage } from '../../src/eventstore/event-store.ts';
import { regexOf } from '../../src/eventstore/client/subscription.ts';
import { eventSchemas } from '../../src/eventstore/codec/codec.ts';
import { maxAppendBytes, maxAppendEvents } from '../../src/eventstore/codec/validate.ts';
import type { ReadReq } from '../../packages/eventstore-node/src/stubs.ts';
import { checkpoint, confirmation, startFakeNode } from '../support/servers/fake-node.ts';
import { testEventStore } from '../support/servers/test-event-store.ts';
import { quietLogger } from '../support/quiet-logger.ts';

/** The letters are those of the server's traps in test/eventstore/README.md. */

const store = await testEventStore();
const bare = EventStoreDBClient.connectionString(store.node.url);
afterAll(async () => {
  await bare.dispose();
  await store.close();
});
beforeEach(() => store.node.faults.clear());

const event: DomainEvent = { type: 'AccountDisabled', data: { epoch: 1, at: 1 } };
const fresh = () => accountStream(randomUUID().replaceAll('-', ''));
const named = (name: string): DomainEvent => ({
  type: 'PasswordSet',
  data: { passwordHash: name, at: 1, ended: null },
});

/** Tries an append that has to be refused, and counts how often it reached the node all the same. */
const callsOfRefused = async (append: () => Promise<unknown>): Promise<number> => {
  const reached = store.node.faults.append({ kind: 'lost' }, { times: 1_000 });
  await expect(append()).rejects.toThrow(InvalidAppend);
  reached.remove();
  return reached.hits();
};

describe('trap A: names that break the server or its errors', () => {
  test.each([
    ['$$', '$$'],
    ['a system stream', '$all'],
    ['a metadata stream', '$$account-1'],
    ['nothing', ''],
    ['a category that is not ours', 'theirs-1'],
    ['a category alone', 'account-'],
    ['an umlaut', 'account-ü'],
    ['a line break', 'account-1\n'],
    ['a null character', 'account-\u0000'],
    ['a second dash', 'account-1-2'],
    ['a space', 'account-1 2'],
    ['70 000 characters', `account-${'x'.repeat(70_000)}`],
  ])('%s is no stream name', async (_, name) => {
    expect(await callsOfRefused(() => store.append(name as StreamName, 'no-stream', [{ event }]))).toBe(0);
  });

  test('a refused name is not repeated in the message: it may be long, or personal', async () => {
    const append = store.append('account-ada@example.org' as StreamName, 'no-stream', [{ event }]);
    await expect(append).rejects.toThrow(/^not a stream name of ours \(23 characters\)$/);
  });
});

describe('trap B, trap 17: events that the server and the client answer twice', () => {
  test.each([
    '',
    'not-a-uuid',
    '00000000-0000-0000-0000-000000000000',
    'F47AC10B-58CC-4372-A567-0E02B2C3D479',
    'f47ac10b58cc4372a5670e02b2c3d479',
    'f47ac10b-58cc-4372-a567-0e02b2c3d479\n',
  ])('the id %j stays here', async (id) =>
    expect(await callsOfRefused(() => store.append(fresh(), 'no-stream', [{ id, event }]))).toBe(0),
  );

  test.each(['', 'SomethingElse', 'constructor'])('the event type %j stays here', async (type) => {
    const odd = { type, data: { at: 1 } } as unknown as DomainEvent;
    expect(await callsOfRefused(() => store.append(fresh(), 'no-stream', [{ event: odd }]))).toBe(0);
  });

  test('the same id twice in one append stays here', async () => {
    const id = randomUUID();
    expect(
      await callsOfRefused(() =>
        store.append(fresh(), 'no-stream', [
          { id, event },
          { id, event },
        ]),
      ),
    ).toBe(0);
  });
});

describe('trap C: sizes that end the stream of appends or the server', () => {
  const overhead =
    Buffer.byteLength(JSON.stringify({ passwordHash: '', at: 1, ended: null })) +
    '{"version":1}'.length +
    2 * 'PasswordSet'.length;
  const ofBytes = (bytes: number) => named('x'.repeat(bytes - overhead));

  test('as much as the server takes is taken', async () => {
    const appended = await store.append(fresh(), 'no-stream', [{ event: ofBytes(maxAppendBytes) }]);
    expect(appended).toMatchObject({ ok: true });
  });

  test('a byte more stays here', async () =>
    expect(
      await callsOfRefused(() =>
        store.append(fresh(), 'no-stream', [{ event: ofBytes(maxAppendBytes + 1) }]),
      ),
    ).toBe(0));

  test('what is too large in sum stays here, counted in UTF-8', async () => {
    const half = named('ü'.repeat(maxAppendBytes / 4));
    expect(
      await callsOfRefused(() => store.append(fresh(), 'no-stream', [{ event: half }, { event: half }])),
    ).toBe(0);
  });

  test('metadata counts', async () => {
    const metadata = { actor: 'x'.repeat(maxAppendBytes) };
    expect(await callsOfRefused(() => store.append(fresh(), 'no-stream', [{ event, metadata }]))).toBe(0);
  });

  test('a server that takes less says so, and the gateway says it is a bug of ours', async () => {
    const small = await testEventStore({ node: { maxAppendSize: 1_000 } });
    const append = small.append(fresh(), 'no-stream', [{ event: ofBytes(2_000) }]);
    await expect(append).rejects.toThrow(/the event store accepts at most 1000 bytes per append/);
    await small.close();
  });
});

describe('trap D: counts of nothing', () => {
  test('an append of nothing stays here: resuming from its position can skip an event', async () =>
    expect(await callsOfRefused(() => store.append(fresh(), 'no-stream', []))).toBe(0));

  test('so does one of very many', async () => {
    const many = Array.from({ length: maxAppendEvents + 1 }, () => ({ event }));
    expect(await callsOfRefused(() => store.append(fresh(), 'no-stream', many))).toBe(0);
  });

  test('no read asks for 0 events and no filter looks at 0: the server would be busy endlessly', async () => {
    const asked: ReturnType<ReadReq['toObject']>[] = [];
    const fake = await startFakeNode({
      read: (call) => {
        asked.push(call.request.toObject());
        if (call.request.getOptions()?.hasSubscription()) {
          call.write(confirmation());
          call.write(checkpoint(7n));
        } else call.end();
      },
    });
    const gateway = connectEventStore({ url: fake.url, logger: quietLogger() });
    await gateway.read(fresh());
    await gateway.head();
    const { signal } = new AbortController();
    for await (const _ of gateway.subscribe({ after: null, eventTypes: ['AccountDisabled'], signal })) break;
    await gateway.close();
    await fake.close();
    const [stream, head, subscription] = asked.map(({ options }) => options);
    expect(Number(stream?.count)).toBeGreaterThan(0);
    expect(Number(head?.count)).toBe(1);
    expect(subscription?.all).toBeDefined();
    expect(subscription?.filter?.max).toBeGreaterThan(0);
    expect(subscription?.filter?.checkpointintervalmultiplier).toBeGreaterThan(0);
  });
});

test.each(['any', 'stream_exists', -1n, -2n, 2n ** 63n - 1n, 2n ** 64n, 3, null])(
  'trap 4: a bad append poisons its neighbours; trap E: after a restart the server writes known ids again, unless the revision is exact: %s stays here',
  async (expected) =>
    expect(await callsOfRefused(() => store.append(fresh(), expected as bigint, [{ event }]))).toBe(0),
);

describe('trap F: streams that were deleted', () => {
  test('a soft-deleted stream is empty, and is numbered on when it is written again; a process that has seen its events does not believe it', async () => {
    const stream = fresh();
    await store.append(stream, 'no-stream', [{ event }, { event }]);
    await bare.deleteStream(stream);
    await expect(store.read(stream)).rejects.toThrow(LogBehind);
    const later = connectEventStore({ url: store.node.url, logger: quietLogger() });
    expect(await later.read(stream)).toEqual({ events: [], revision: 'no-stream' });
    await later.close();
    expect(await store.append(stream, 'no-stream', [{ event: named('again') }])).toMatchObject({
      ok: true,
      revision: 2n,
    });
  });

  test('old ids in a deleted stream are an error, although the server says they are written', async () => {
    const stream = fresh();
    const events = [{ id: randomUUID(), event }];
    await store.append(stream, 'no-stream', events);
    await bare.deleteStream(stream);
    await expect(store.append(stream, 'no-stream', events)).rejects.toThrow(
      /ids belong to events that have been removed/,
    );
  });

  test('a tombstoned stream is empty and takes nothing more', async () => {
    const stream = fresh();
    await store.append(stream, 'no-stream', [{ event }]);
    await bare.tombstoneStream(stream);
    expect(await store.read(stream)).toEqual({ events: [], revision: 'no-stream' });
    await expect(store.append(stream, 'no-stream', [{ event }])).rejects.toThrow(/permanently deleted/);
  });
});

describe('trap G: a checkpoint of 2^64-1', () => {
  test('it is not delivered, and nothing is skipped when the subscription drops after it', async () => {
    const empty = await testEventStore();
    const endless = empty.node.faults.subscription({ kind: 'endless-checkpoint' });
    const messages: LogMessage[] = [];
    const { signal } = new AbortController();
    let dropped = false;
    for await (const message of empty.subscribe({ after: null, eventTypes: ['AccountDisabled'], signal })) {
      messages.push(message);
      if (message.kind === 'event') break;
      if (dropped) continue;
      dropped = true;
      await empty.append(fresh(), 'no-stream', [{ event }]);
    }
    await empty.close();
    expect(endless.hits()).toBe(1);
    expect(messages.at(-1)).toMatchObject({ kind: 'event', event: { revision: 0n } });
    const positions = messages.flatMap((message) =>
      message.kind === 'checkpoint' ? [message.position.commit] : [],
    );
    expect(positions.filter((commit) => commit >= 2n ** 63n)).toEqual([]);
  });

  test('a subscription that drops after such a checkpoint starts where it was', async () => {
    const froms: (string | undefined)[] = [];
    let calls = 0;
    const fake = await startFakeNode({
      read: (call) => {
        froms.push(call.request.getOptions()?.getAll()?.getPosition()?.getCommitPosition());
        call.write(confirmation());
        call.write(checkpoint(calls === 0 ? 2n ** 64n - 1n : 9n));
        if ((calls += 1) === 1) call.end();
      },
    });
    const gateway = connectEventStore({ url: fake.url, logger: quietLogger() });
    const { signal } = new AbortController();
    const after = { commit: 5n, prepare: 5n };
    const seen: LogMessage[] = [];
    for await (const message of gateway.subscribe({ after, eventTypes: ['AccountDisabled'], signal })) {
      seen.push(message);
      break;
    }
    await gateway.close();
    await fake.close();
    expect(froms).toEqual(['5', '5']);
    expect(seen).toEqual([{ kind: 'checkpoint', position: { commit: 9n, prepare: 9n } }]);
  });
});

describe('trap H: filters are regular expressions of .NET', () => {
  test('the expression takes exactly the types', () => {
    const types = Object.keys(eventSchemas);
    const regex = new RegExp(regexOf(types));
    expect(types.filter((type) => !regex.test(type))).toEqual([]);
    expect(
      ['', 'AccountDisabledToo', 'TheAccountDisabled', '$AccountDisabled'].filter((type) => regex.test(type)),
    ).toEqual([]);
  });

  test.each(['A.B', 'A|B', 'A\\w', 'Ä', ''])(
    'a type that could mean something else is refused: %j',
    (type) => {
      expect(() => regexOf([type])).toThrow(TypeError);
    },
  );
});

test('trap I: a duplicate that meets its original is dropped, so there is never a second one in flight', async () => {
  const reached = store.node.faults.append({ kind: 'timeout' }, { times: 3 });
  const stream = fresh();
  expect(await store.append(stream, 'no-stream', [{ event }])).toMatchObject({ ok: true, revision: 0n });
  expect(reached.hits()).toBe(3);
  expect((await store.read(stream)).events).toHaveLength(1);
});

test('a conflict after an unknown outcome that was our own write is reported as the success it is', async () => {
  const lost = store.node.faults.append({ kind: 'end', status: 'UNAVAILABLE', written: true });
  const stream = fresh();
  expect(await store.append(stream, 'no-stream', [{ event }])).toMatchObject({ ok: true, revision: 0n });
  expect(lost.hits()).toBe(1);
});

test('a conflict after an unknown outcome that was never written is the conflict it is', async () => {
  const stream = fresh();
  const lost = store.node.faults.append({ kind: 'lost' });
  const gateway = connectEventStore({
    url: store.node.url,
    timeouts: { appendMs: 1_000 },
    logger: quietLogger(),
  });
  const ours = gateway.append(stream, 'no-stream', [{ event }]);
  await lost.hit;
  const rival = await bare.appendToStream(
    stream,
    {
      id: randomUUID(),
      contentType: 'application/json',
      type: 'AccountDisabled',
      data: { at: 2 },
      metadata: { version: 1 },
    },
    { expectedRevision: 'no_stream' },
  );
  expect(rival.success).toBe(true);
  expect(await ours).toEqual({ ok: false, actual: 0n });
  await gateway.close();
});

test('an unknown event type in a stream of ours is an error that names both', async () => {
  const stream = fresh();
  await bare.appendToStream(stream, {
    id: randomUUID(),
    contentType: 'application/json',
    type: 'AccountPainted',
    data: { colour: 'secret red' },
    metadata: { version: 1 },
  });
  await expect(store.read(stream)).rejects.toThrow(`event type AccountPainted at ${stream}@0 is unknown`);
});
