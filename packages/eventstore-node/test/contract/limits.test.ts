import { binaryEvent, jsonEvent } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { contract, embeddedOnly, majorVersion, newStream } from './contract.ts';
import { append, appendMessage, appendOptions } from './raw.ts';
import { attempt, bothPaths, happened, paths, readStream, refusal } from './steps.ts';

const server = contract();
const largest = 1_048_576;
const typeSize = 2 * 'Happened'.length;

const binary = (size: number) => binaryEvent({ type: 'Happened', data: new Uint8Array(size).fill(7) });

/** eventstoredb.md §2.5 and §2.6. */
describe.each(bothPaths)('by the %s path', (path) => {
  test('an append of exactly the maximum size is taken', async () => {
    const stream = newStream();
    expect(await attempt(server.client, stream, [binary(largest - typeSize)], 'any', path)).toBe('written 0');
  });

  test('a larger one is refused with the maximum, whether one event or several make it so', async ({
    skip,
  }) => {
    skip((await majorVersion(server.url)) >= 25, 'from 25.1 on a whole append may be as large as a chunk');
    const one = server.client.appendToStream(newStream(), [binary(largest + 1)], paths[path]);
    expect(await refusal(one)).toMatchObject({
      type: 'maximum-append-size-exceeded',
      maxAppendSize: largest,
    });
    const halves = [binary(largest / 2), binary(largest / 2 + 1)];
    const several = server.client.appendToStream(newStream(), halves, paths[path]);
    expect(await refusal(several)).toMatchObject({ type: 'maximum-append-size-exceeded' });
  });

  test('bytes come back as they were, whatever the content type', async () => {
    const stream = newStream();
    const metadata = Uint8Array.from([0, 255, 10]);
    const bytes = binaryEvent({ type: 'Bytes', data: Uint8Array.from([0, 1, 2, 254, 255]), metadata });
    const json = jsonEvent({ type: 'Json', data: { text: 'ä€𝄞\u0000"\\' }, metadata: { by: 'you' } });
    await server.client.appendToStream(stream, [bytes, json], paths[path]);
    const [first, second] = await readStream(server.client, stream);
    expect(first?.event).toMatchObject({ type: 'Bytes', isJson: false, id: bytes.id });
    expect([...((first?.event?.data as Uint8Array) ?? [])]).toEqual([0, 1, 2, 254, 255]);
    expect([...((first?.event?.metadata as Uint8Array) ?? [])]).toEqual([0, 255, 10]);
    expect(second?.event).toMatchObject({ isJson: true, data: json.data, metadata: json.metadata });
  });

  test('no metadata comes back as none', async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, happened(), paths[path]);
    expect((await readStream(server.client, stream))[0]?.event?.metadata).toBeUndefined();
  });
});

test('stream names are case-sensitive and may hold any text', async () => {
  const name = newStream();
  const odd = `${name} ä\n/@"`;
  expect(await attempt(server.client, name, happened())).toBe('written 0');
  expect(await attempt(server.client, name.toUpperCase(), happened())).toBe('written 0');
  expect(await attempt(server.client, odd, happened())).toBe('written 0');
  expect((await readStream(server.client, odd))[0]?.event?.streamId).toBe(odd);
});

test('created is in 100-ns ticks since 1970, never decreasing', async () => {
  const stream = newStream();
  for (let count = 0; count < 5; count += 1) await server.client.appendToStream(stream, happened());
  const times = (await readStream(server.client, stream)).map(({ event }) => Number(event?.created));
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(Math.abs((times[0] ?? 0) - Date.now())).toBeLessThan(600_000);
});

describe('the classic call', () => {
  test.each(['type', 'content-type'])('without %s names what is required', async (missing) => {
    const metadata = { type: 'Happened', 'content-type': 'application/json' };
    const rest = Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== missing));
    const error = await append(server.raw, [appendOptions(newStream()), appendMessage({ metadata: rest })]);
    expect(error).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect('metadata' in error && error.metadata.getMap()).toMatchObject({
      exception: 'missing-required-metadata-property',
      'required-metadata-properties': 'type,content-type',
    });
  });

  test.each([
    { what: 'an empty type', event: { metadata: { type: '', 'content-type': 'application/json' } } },
    { what: 'a malformed id', event: { id: 'no-uuid' } },
    { what: 'the all-zero id', event: { id: '00000000-0000-0000-0000-000000000000' } },
  ])('with $what ends with UNKNOWN', async ({ event }) => {
    const error = await append(server.raw, [appendOptions(newStream()), appendMessage(event)]);
    expect(error).toMatchObject({ code: status.UNKNOWN, details: 'Exception was thrown by handler.' });
  });

  test.each([
    { what: 'nothing', messages: () => [] },
    { what: 'an event first', messages: () => [appendMessage()] },
    { what: 'options twice', messages: () => [appendOptions(newStream()), appendOptions(newStream())] },
    { what: 'an empty stream name', messages: () => [appendOptions(''), appendMessage()] },
  ])('with $what ends with UNKNOWN', async ({ messages }) => {
    const error = await append(server.raw, messages());
    expect(error).toMatchObject({ code: status.UNKNOWN, details: 'Exception was thrown by handler.' });
  });

  test('without an expected revision is an invalid argument', async () => {
    const options = appendOptions(newStream());
    options.getOptions()?.clearAny();
    expect(await append(server.raw, [options, appendMessage()])).toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
  });

  test('with a revision above 2^63−1 ends with UNKNOWN; 2^64−1 means no stream', async () => {
    const options = appendOptions(newStream());
    options.getOptions()?.setRevision('9223372036854775808');
    expect(await append(server.raw, [options, appendMessage()])).toMatchObject({ code: status.UNKNOWN });
    options.getOptions()?.setRevision('18446744073709551615');
    const answer = await append(server.raw, [options, appendMessage()]);
    expect('getSuccess' in answer && answer.getSuccess()?.getCurrentRevision()).toBe('0');
  });

  test('another content type comes back as octet-stream, invalid JSON as text', async () => {
    const stream = newStream();
    await append(server.raw, [
      appendOptions(stream),
      appendMessage({ metadata: { type: 'Text', 'content-type': 'text/plain', other: 'ignored' } }),
      appendMessage({ data: Buffer.from('{no json') }),
    ]);
    const [text, json] = await readStream(server.client, stream);
    expect(text?.event?.isJson).toBe(false);
    expect(json?.event).toMatchObject({ isJson: true, data: '{no json' });
  });
});

/** A real server up to 24.10.1 takes the append and ends its own process. */
test('the stream $$ is refused', embeddedOnly, async () => {
  const error = await append(server.raw, [appendOptions('$$'), appendMessage()]);
  expect(error).toMatchObject({ code: status.UNKNOWN });
});

/** Longer names do not fit an index of Postgres. */
test('a stream name above 2 000 bytes is refused', embeddedOnly, async () => {
  const error = await append(server.raw, [appendOptions('n'.repeat(2001)), appendMessage()]);
  expect(error).toMatchObject({ code: status.UNKNOWN });
  expect(await attempt(server.client, 'n'.repeat(2000), happened())).toMatch('written');
});

test(
  'a message above the transport limit costs the batch stream, and the next append works',
  embeddedOnly,
  async () => {
    const oversized = server.client.appendToStream(newStream(), [binary(17_000_000)], {
      batchAppendSize: 32 * 1024 * 1024,
    });
    expect(await refusal(oversized)).toBeInstanceOf(Error);
    await expect.poll(() => attempt(server.client, newStream(), happened()).catch(String)).toBe('written 0');
  },
);
