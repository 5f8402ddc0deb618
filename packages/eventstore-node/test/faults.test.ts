import {
  DeadlineExceededError,
  eventTypeFilter,
  NO_STREAM,
  NotLeaderError,
  START,
  StreamNotFoundError,
  TimeoutError,
  UnavailableError,
  UnknownError,
} from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, test } from 'vitest';
import { embedded, newStream } from './contract/contract.ts';
import { attempt, bothPaths, happened, paths, readStream, refusal, revisions } from './contract/steps.ts';

const server = embedded();
afterEach(() => server.node.faults.clear());

/** What the node can be made to do to its callers; the client's reactions are those of eventstoredb.md §4.3 and §6. */
describe.each(bothPaths)('an append by the %s path', (path) => {
  const append = (stream: string, client = server.client) =>
    client.appendToStream(stream, happened(), { expectedRevision: NO_STREAM, ...paths[path] });

  test('can be written and never answered: the outcome is unknown, and it did happen', async () => {
    const stream = newStream();
    const dropped = server.node.faults.append({ kind: 'commit-then-drop' });
    append(stream).catch(() => undefined);
    await dropped.hit;
    await expect.poll(() => revisions(server.client, stream).catch(String)).toEqual([0]);
  });

  test('can be lost on the way', async () => {
    const stream = newStream();
    const lost = server.node.faults.append({ kind: 'lost' });
    append(stream).catch(() => undefined);
    await lost.hit;
    await attempt(server.client, newStream(), happened());
    expect(await refusal(revisions(server.client, stream))).toBeInstanceOf(StreamNotFoundError);
  });

  test('can be answered late, when the test says so', async () => {
    const stream = newStream();
    let answer: () => void = () => undefined;
    const delayed = {
      kind: 'delayed-reply',
      until: new Promise<void>((resolve) => (answer = resolve)),
    } as const;
    server.node.faults.append(delayed);
    let answered = false;
    const appended = append(stream).then(() => (answered = true));
    await expect.poll(() => revisions(server.client, stream).catch(String)).toEqual([0]);
    expect(answered).toBe(false);
    answer();
    expect(await appended).toBe(true);
  });

  test('can meet a node that is not the leader', async () => {
    server.node.faults.append({ kind: 'not-leader', host: '127.0.0.1', port: server.node.port });
    const error = await refusal(append(newStream()));
    expect(error).toBeInstanceOf(NotLeaderError);
    expect(error).toMatchObject({ leader: { address: '127.0.0.1', port: server.node.port } });
    expect(await attempt(server.client, newStream(), happened())).toBe('written 0');
  });

  test('can be struck after some that pass, and only as often as asked', async () => {
    const struck = server.node.faults.append({ kind: 'timeout' }, { skip: 1, times: 2 });
    const outcomes: string[] = [];
    for (let number = 0; number < 4; number += 1)
      outcomes.push(
        await append(newStream()).then(
          () => 'written',
          (error: Error) => error.constructor.name,
        ),
      );
    const timeout = path === 'batch' ? DeadlineExceededError.name : TimeoutError.name;
    expect(outcomes).toEqual(['written', timeout, timeout, 'written']);
    expect(struck.hits()).toBe(2);
  });
});

describe('the batch stream', () => {
  test.each([
    { status: 'UNAVAILABLE', error: UnavailableError },
    { status: 'INTERNAL', error: UnknownError },
  ] as const)(
    'can end with $status: everything in flight is rejected, the next append works',
    async (how) => {
      const [written, unwritten] = [newStream(), newStream()];
      await attempt(server.client, newStream(), happened());
      server.node.faults.append({ kind: 'lost' });
      const pending = refusal(server.client.appendToStream(newStream(), happened()));
      server.node.faults.append({ kind: 'end', status: how.status, written: true });
      expect(await refusal(server.client.appendToStream(written, happened()))).toBeInstanceOf(how.error);
      expect(await pending).toBeInstanceOf(how.error);
      server.node.faults.append({ kind: 'end', status: how.status, written: false });
      expect(await refusal(server.client.appendToStream(unwritten, happened()))).toBeInstanceOf(how.error);
      expect(await attempt(server.client, written, happened(), 0n)).toBe('written 1');
      expect(await refusal(revisions(server.client, unwritten))).toBeInstanceOf(StreamNotFoundError);
    },
  );

  test('can answer that the server is not ready', async () => {
    server.node.faults.append({ kind: 'not-ready' });
    expect(await refusal(server.client.appendToStream(newStream(), happened()))).toBeInstanceOf(UnknownError);
    expect(await attempt(server.client, newStream(), happened())).toBe('written 0');
  });
});

describe('a slow start', () => {
  test('answers not ready to every call until it is over', async () => {
    const client = server.connect();
    const ready = server.node.faults.notReady();
    const append = await refusal(client.appendToStream(newStream(), happened()));
    expect(append).toMatchObject({ code: status.UNAVAILABLE });
    expect(await refusal(readStream(client, newStream()))).toBeInstanceOf(UnavailableError);
    const deletion = client.deleteStream(newStream(), { expectedRevision: NO_STREAM });
    expect(await refusal(deletion)).toBeInstanceOf(UnavailableError);
    ready();
    expect(await attempt(client, newStream(), happened())).toBe('written 0');
  });

  test('of the features makes the first append fail with a bare gRPC error', async () => {
    server.node.faults.features({ kind: 'not-ready' });
    const error = await refusal(server.connect().appendToStream(newStream(), happened()));
    expect(error).toMatchObject({ code: status.UNAVAILABLE });
    expect(error).not.toBeInstanceOf(UnavailableError);
  });
});

describe('a read', () => {
  test('can be stale: not found, although it is there', async () => {
    const stream = newStream();
    await attempt(server.client, stream, happened());
    server.node.faults.read({ kind: 'stale' });
    expect(await refusal(revisions(server.client, stream))).toBeInstanceOf(StreamNotFoundError);
    expect(await revisions(server.client, stream)).toEqual([0]);
  });

  test('can break off in the middle', async () => {
    const stream = newStream();
    await attempt(server.client, stream, happened(10));
    server.node.faults.read({ kind: 'end', status: 'UNAVAILABLE', afterEvents: 3 });
    expect(await refusal(revisions(server.client, stream))).toBeInstanceOf(UnavailableError);
  });
});

describe('a subscription', () => {
  const follow = async (stream: string): Promise<{ seen: number; end: string }> => {
    let seen = 0;
    try {
      for await (const _ of server.client.subscribeToStream(stream, { fromRevision: START })) seen += 1;
      return { seen, end: 'finished' };
    } catch (error) {
      return { seen, end: error instanceof Error ? error.constructor.name : 'unknown' };
    }
  };

  test.each([
    { status: 'ABORTED', end: 'TimeoutError' },
    { status: 'UNAVAILABLE', end: 'UnavailableError' },
    { status: 'INTERNAL', end: 'UnknownError' },
    { status: 'OK', end: 'finished' },
  ] as const)('can end with $status after some events', async ({ status: how, end }) => {
    const stream = newStream();
    await attempt(server.client, stream, happened(10));
    server.node.faults.subscription({ kind: 'end', status: how, afterEvents: 4 });
    const followed = await follow(stream);
    expect(followed.end).toBe(end);
    expect(followed.seen).toBeLessThanOrEqual(4);
  });

  test('can end before the first event', async () => {
    const stream = newStream();
    await attempt(server.client, stream, happened(10));
    server.node.faults.subscription({ kind: 'end', status: 'OK', afterEvents: 0 });
    expect(await follow(stream)).toEqual({ seen: 0, end: 'finished' });
  });

  test('can fall silent', async () => {
    const stream = newStream();
    await attempt(server.client, stream, happened(10));
    server.node.faults.subscription({ kind: 'stall', afterEvents: 4 });
    const subscription = server.client.subscribeToStream(stream, { fromRevision: START });
    let seen = 0;
    subscription.on('data', () => (seen += 1));
    await expect.poll(() => seen).toBe(4);
    await attempt(server.client, newStream(), happened());
    expect(seen).toBe(4);
    await subscription.unsubscribe();
  });

  test('can bring the checkpoint 2^64−1 of an empty log', async () => {
    server.node.faults.subscription({ kind: 'endless-checkpoint' });
    const reached: bigint[] = [];
    const subscription = server.client.subscribeToAll({
      fromPosition: START,
      filter: eventTypeFilter({
        prefixes: ['Nothing'],
        checkpointReached: (_, { commit }) => {
          reached.push(commit);
          return Promise.resolve();
        },
      }),
    });
    subscription.on('data', () => undefined);
    await expect.poll(() => reached[0]).toBe(18_446_744_073_709_551_615n);
    await subscription.unsubscribe();
  });
});
