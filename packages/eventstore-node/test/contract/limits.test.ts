import { binaryEvent, jsonEvent, type MaxAppendSizeExceededError } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { beforeAll, describe, expect, test } from 'vitest';
import { contract, type Contract, embedded, embeddedOnly, newStream } from './contract.ts';
import { append, appendMessage, appendOptions } from './raw.ts';
import { attempt, bothPaths, happened, paths, readStream, refusal } from './steps.ts';

const server = contract();
const mebibyte = 1_048_576;
const typeSize = 2 * 'Happened'.length;

const binary = (size: number) => binaryEvent({ type: 'Happened', data: new Uint8Array(size).fill(7) });
/** So many bytes of data in so many events. */
const split = (bytes: number, count: number) =>
  Array.from({ length: count }, (_, at) => binary(Math.floor((bytes + at) / count)));
/** No server that names a maximum below that of a chunk takes so much. */
const moreThanAny = 17_000_000;

/** What the server says that an append may have; null where that is more than a test should write. */
const largestOf = async ({ client }: Contract): Promise<number | null> => {
  const error = await refusal(client.appendToStream(newStream(), split(moreThanAny, 17))).catch(() => null);
  return error === null ? null : (error as MaxAppendSizeExceededError).maxAppendSize;
};

describe.each([
  ['the server', server],
  ['one that takes less', embedded({ maxAppendSize: 500_001 })],
  ['one that takes more', embedded({ maxAppendSize: 3_000_001 })],
])('FX-106: the largest append of %s', (_, asked) => {
  let largest: number | null;
  let count: number;
  beforeAll(async () => {
    largest = await largestOf(asked);
    count = Math.ceil((largest ?? mebibyte) / mebibyte);
  });

  test.each(bothPaths)(
    'by the %s path is taken, and a byte more is refused with the maximum',
    async (path) => {
      const most = split((largest ?? mebibyte) - count * typeSize, count);
      expect(await attempt(asked.client, newStream(), most, 'any', path)).toBe(`written ${count - 1}`);
      if (largest === null) return;
      for (const events of [split(largest + 1, count), split(largest + 1, count + 1)]) {
        const more = asked.client.appendToStream(newStream(), events, paths[path]);
        expect(await refusal(more)).toMatchObject({
          type: 'maximum-append-size-exceeded',
          maxAppendSize: largest,
        });
      }
    },
  );
});

/** eventstoredb.md §2.5 and §2.6. */
describe.each(bothPaths)('by the %s path', (path) => {
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
