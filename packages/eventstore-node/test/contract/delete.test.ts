import { ANY, NO_STREAM, StreamDeletedError, WrongExpectedVersionError } from '@eventstore/db-client';
import { describe, expect, test } from 'vitest';
import { contract, newStream } from './contract.ts';
import type { StreamState } from './steps.ts';
import { attempt, given, happened, readStream, refusal, revisions, streamAt } from './steps.ts';

const server = contract();

const metadataOf = async (stream: string): Promise<unknown> =>
  (await server.client.getStreamMetadata(stream)).metadata;

/** eventstoredb.md §5. */
describe('a soft delete', () => {
  test('FX-106: hides the stream and answers the position of what it wrote', async () => {
    const stream = newStream();
    await given(server.client, stream, 'two events');
    const { position } = await server.client.deleteStream(stream, { expectedRevision: 1n });
    expect(await streamAt(server.client, position)).toBe(`$$${stream}`);
    expect(await refusal(revisions(server.client, stream))).toMatchObject({ type: 'stream-not-found' });
  });

  test('replaces all other metadata', async () => {
    const stream = newStream();
    await given(server.client, stream, 'two events');
    await server.client.setStreamMetadata(stream, { maxCount: 3, owner: 'me' });
    await server.client.deleteStream(stream, { expectedRevision: ANY });
    const [metadata] = await readStream(server.client, `$$${stream}`);
    expect(metadata?.event).toMatchObject({ type: '$metadata', revision: 1n });
    expect(Object.keys(metadata?.event?.data as object)).toEqual(['$tb']);
  });

  test.each<{ state: StreamState; expected: bigint | typeof NO_STREAM | typeof ANY; actual: bigint }>([
    { state: 'never written', expected: ANY, actual: -1n },
    { state: 'never written', expected: NO_STREAM, actual: -1n },
    { state: 'never written', expected: 0n, actual: -1n },
    { state: 'two events', expected: 0n, actual: 1n },
    { state: 'two events', expected: 7n, actual: 1n },
    { state: 'two events', expected: NO_STREAM, actual: 1n },
  ])(
    'of a stream $state, expecting $expected, is refused with $actual',
    async ({ state, expected, actual }) => {
      const stream = newStream();
      await given(server.client, stream, state);
      const error = await refusal(server.client.deleteStream(stream, { expectedRevision: expected }));
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({ actualVersion: actual, streamName: stream });
    },
  );

  test('succeeds again, and on a stream with only metadata', async () => {
    const [twice, bare] = [newStream(), newStream()];
    await given(server.client, twice, 'soft-deleted');
    await given(server.client, bare, 'only metadata');
    for (const stream of [twice, bare])
      expect(await server.client.deleteStream(stream, { expectedRevision: ANY })).toHaveProperty('position');
  });

  test('of a tombstoned stream is refused as deleted', async () => {
    const stream = newStream();
    await given(server.client, stream, 'tombstoned');
    const error = await refusal(server.client.deleteStream(stream, { expectedRevision: ANY }));
    expect(error).toBeInstanceOf(StreamDeletedError);
  });
});

describe('writing to a soft-deleted stream', () => {
  test.each([{ expected: ANY }, { expected: NO_STREAM }, { expected: 1n }] as const)(
    'expecting $expected brings it back from the next revision on',
    async ({ expected }) => {
      const stream = newStream();
      await given(server.client, stream, 'soft-deleted');
      expect(await attempt(server.client, stream, happened(2), expected)).toBe('written 3');
      await expect.poll(() => revisions(server.client, stream).catch(String)).toEqual([2, 3]);
      await expect.poll(() => metadataOf(stream)).toEqual({ truncateBefore: 2 });
    },
  );

  test('its metadata brings it back too, the new keys kept', async () => {
    const stream = newStream();
    await given(server.client, stream, 'soft-deleted');
    await server.client.setStreamMetadata(stream, { owner: 'me' });
    await expect.poll(() => metadataOf(stream)).toEqual({ owner: 'me', truncateBefore: 2 });
    expect(await revisions(server.client, stream)).toEqual([]);
    expect(await attempt(server.client, stream, happened(), 1n)).toBe('written 2');
    expect(await revisions(server.client, stream)).toEqual([2]);
  });
});

describe('a tombstone', () => {
  test('permanently ends a stream, visible in the log only', async () => {
    const stream = newStream();
    await given(server.client, stream, 'two events');
    const { position } = await server.client.tombstoneStream(stream, { expectedRevision: 1n });
    expect(await streamAt(server.client, position)).toBe(stream);
    expect(await attempt(server.client, stream, happened())).toBe('stream deleted');
    expect(await refusal(readStream(server.client, stream))).toBeInstanceOf(StreamDeletedError);
  });

  test.each([{ expected: ANY }, { expected: NO_STREAM }] as const)(
    'of a stream that never was, expecting $expected, reserves its name against use',
    async ({ expected }) => {
      const stream = newStream();
      await server.client.tombstoneStream(stream, { expectedRevision: expected });
      expect(await attempt(server.client, stream, happened(), NO_STREAM)).toBe('stream deleted');
    },
  );

  test('twice is refused as deleted, at a wrong revision with that revision', async () => {
    const stream = newStream();
    await given(server.client, stream, 'two events');
    const wrong = await refusal(server.client.tombstoneStream(stream, { expectedRevision: 5n }));
    expect(wrong).toMatchObject({ type: 'wrong-expected-version', actualVersion: 1n, expectedVersion: 5n });
    await server.client.tombstoneStream(stream, { expectedRevision: 1n });
    const twice = await refusal(server.client.tombstoneStream(stream, { expectedRevision: ANY }));
    expect(twice).toBeInstanceOf(StreamDeletedError);
  });
});
