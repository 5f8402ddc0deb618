import { ANY, NO_STREAM, STREAM_EXISTS } from '@eventstore/db-client';
import { describe, expect, test } from 'vitest';
import { contract, majorVersion, newStream } from './contract.ts';
import type { StreamState } from './steps.ts';
import { attempt, bothPaths, given, happened, paths, readStream, refusal, revisions } from './steps.ts';

const server = contract();

/** eventstoredb.md §2.3: what an append of new events meets, by expected revision and state of the stream. */
const matrix: Record<StreamState, Record<string, string>> = {
  'never written': {
    any: 'written 0',
    'no stream': 'written 0',
    'stream exists': 'wrong, is no_stream',
    'exactly 1': 'wrong, is no_stream',
    'exactly 0': 'wrong, is no_stream',
  },
  'only metadata': {
    any: 'written 0',
    'no stream': 'written 0',
    'stream exists': 'written 0',
    'exactly 1': 'wrong, is no_stream',
    'exactly 0': 'wrong, is no_stream',
  },
  'two events': {
    any: 'written 2',
    'no stream': 'wrong, is 1',
    'stream exists': 'written 2',
    'exactly 1': 'written 2',
    'exactly 0': 'wrong, is 1',
    'exactly 7': 'wrong, is 1',
  },
  'soft-deleted': {
    any: 'written 2',
    'no stream': 'written 2',
    'stream exists': 'stream deleted',
    'exactly 1': 'written 2',
    'exactly 0': 'wrong, is 1',
    'exactly 7': 'wrong, is 1',
  },
  tombstoned: {
    any: 'stream deleted',
    'no stream': 'stream deleted',
    'stream exists': 'stream deleted',
    'exactly 1': 'stream deleted',
    'exactly 7': 'stream deleted',
  },
};

const expectations = {
  any: ANY,
  'no stream': NO_STREAM,
  'stream exists': STREAM_EXISTS,
  'exactly 0': 0n,
  'exactly 1': 1n,
  'exactly 7': 7n,
} as const;

const cells = bothPaths.flatMap((path) =>
  Object.entries(matrix).flatMap(([state, row]) =>
    Object.entries(row).map(([expected, outcome]) => ({
      path,
      state: state as StreamState,
      expected: expected as keyof typeof expectations,
      outcome,
    })),
  ),
);

describe('the expected-revision matrix', () => {
  test.each(cells)(
    '$path: $state, expecting $expected: $outcome',
    async ({ path, state, expected, outcome }) => {
      const stream = newStream();
      await given(server.client, stream, state);
      expect(await attempt(server.client, stream, happened(), expectations[expected], path)).toBe(outcome);
    },
  );
});

describe.each(bothPaths)('an append by the %s path', (path) => {
  test('is one piece: contiguous in the log, its revision and position those of its last event', async () => {
    const stream = newStream();
    const written = await server.client.appendToStream(stream, happened(3), { expectedRevision: NO_STREAM });
    const events = await readStream(server.client, stream);
    expect(written.nextExpectedRevision).toBe(2n);
    expect(events.map(({ event }) => event?.revision)).toEqual([0n, 1n, 2n]);
    expect(written.position).toEqual(events[2]?.event?.position);
    expect(written.position?.commit).toBe(written.position?.prepare);
    const from = events[0]?.event?.position;
    const log = server.client.readAll({ fromPosition: from ?? 'start', maxCount: 3 });
    const inLog: string[] = [];
    for await (const { event } of log) inLog.push(event?.streamId ?? '');
    expect(inLog).toEqual([stream, stream, stream]);
  });

  test('refused writes nothing at all', async () => {
    const stream = newStream();
    await attempt(server.client, stream, happened(), NO_STREAM, path);
    await attempt(server.client, stream, happened(5), NO_STREAM, path);
    expect(await revisions(server.client, stream)).toEqual([0]);
  });

  test('without events is checked like any other and leaves nothing to read', async () => {
    const stream = newStream();
    await attempt(server.client, stream, happened(2), NO_STREAM, path);
    expect(await attempt(server.client, stream, [], 1n, path)).toBe('written 1');
    expect(await attempt(server.client, stream, [], ANY, path)).toBe('written 1');
    expect(await attempt(server.client, stream, [], 0n, path)).toBe('wrong, is 1');
    expect(await attempt(server.client, stream, [], NO_STREAM, path)).toBe('wrong, is 1');
    expect(await revisions(server.client, stream)).toEqual([0, 1]);
    const empty = newStream();
    await attempt(server.client, empty, [], NO_STREAM, path);
    expect((await refusal(readStream(server.client, empty))).constructor.name).toBe('StreamNotFoundError');
  });

  test('without events brings a soft-deleted stream back, empty; without a stream is refused', async () => {
    const stream = newStream();
    await given(server.client, stream, 'soft-deleted');
    // KurrentDB takes that, too.
    const isKurrent = (await majorVersion(server.url)) >= 25;
    const refused = isKurrent ? /^written 1$/ : /^wrong, is 1$/;
    expect(await attempt(server.client, stream, [], NO_STREAM, path)).toMatch(refused);
    expect(await attempt(server.client, stream, [], ANY, path)).toBe('written 1');
    await expect.poll(() => revisions(server.client, stream).catch(String)).toEqual([]);
  });

  test('to a metadata stream of a tombstoned stream is refused', async () => {
    const stream = newStream();
    await given(server.client, stream, 'tombstoned');
    expect(await attempt(server.client, `$$${stream}`, happened(1, '$metadata'), ANY, path)).toBe(
      'stream deleted',
    );
  });
});

test('a refused append can be returned instead of thrown, on the classic path', async () => {
  const stream = newStream();
  await given(server.client, stream, 'two events');
  const client = server.connect(`${server.url}&throwOnAppendFailure=false`);
  const refused = { success: false, nextExpectedRevision: 1n, position: undefined };
  const options = { expectedRevision: 4n, ...paths.classic };
  expect(await client.appendToStream(stream, happened(), options)).toEqual(refused);
});

test('concurrent appends at one revision: exactly one is written', async () => {
  const stream = newStream();
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => attempt(server.client, stream, happened(), NO_STREAM)),
  );
  expect(outcomes.filter((outcome) => outcome === 'written 0')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 'wrong, is 0')).toHaveLength(19);
});
