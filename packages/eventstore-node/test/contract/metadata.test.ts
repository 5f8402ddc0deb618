import { ANY, BACKWARDS, END, jsonEvent, START } from '@eventstore/db-client';
import { describe, expect, test } from 'vitest';
import { contract, newStream } from './contract.ts';
import { append, appendMessage, appendOptions } from './raw.ts';
import { attempt, given, happened, headOfLog, readStream, revisions } from './steps.ts';

const server = contract();

/** Ten events, and a last metadata event of exactly these bytes. */
const limited = async (json: string): Promise<string> => {
  const stream = newStream();
  await server.client.appendToStream(stream, happened(10));
  await writeMetadata(stream, json);
  return stream;
};

const writeMetadata = (stream: string, json: string) =>
  append(server.raw, [
    appendOptions(`$$${stream}`),
    appendMessage({
      metadata: { type: '$metadata', 'content-type': 'application/json' },
      data: Buffer.from(json),
    }),
  ]);

const tail = (from: number): number[] => Array.from({ length: 10 - from }, (_, index) => from + index);

/** eventstoredb.md §3.5. */
describe('what metadata hides of ten events', () => {
  test.each([
    { json: '{}', from: 0 },
    { json: '{"$maxCount":3}', from: 7 },
    { json: '{"$maxCount":10}', from: 0 },
    { json: '{"$maxCount":1000}', from: 0 },
    { json: '{"$tb":4}', from: 4 },
    { json: '{"$tb":4,"$maxCount":3}', from: 7 },
    { json: '{"$tb":8,"$maxCount":5}', from: 8 },
    { json: '{"$tb":10}', from: 10 },
    { json: '{"$tb":5000}', from: 10 },
    { json: '{"$maxAge":3600}', from: 0 },
    { json: '{"$maxCount":2,"$cacheControl":30,"$acl":{"$r":"a","$w":["b"]},"mine":{"x":1.5}}', from: 8 },
  ])('$json shows them from $from', async ({ json, from }) => {
    const stream = await limited(json);
    expect(await revisions(server.client, stream)).toEqual(tail(from));
    const backwards = { direction: BACKWARDS, fromRevision: END } as const;
    expect(await revisions(server.client, stream, backwards)).toEqual(tail(from).reverse());
  });

  test.each([
    '{"$maxCount":3.0}',
    '{"$maxCount":"3"}',
    '{"$maxCount":null}',
    '{"$maxCount":3,"$acl":null}',
    '{"$maxCount":3,"$acl":{"other":"a"}}',
    '{"$maxCount":3,"$tb":99999999999999999999}',
    '{"$maxCount":3',
    '[1]',
    'nonsense',
  ])('%s is malformed and hides nothing', async (json) => {
    expect(await revisions(server.client, await limited(json))).toEqual(tail(0));
  });

  test.each([
    { json: '{"$maxCount":-3,"$tb":4}', from: 4 },
    { json: '{"$maxAge":0,"$tb":4}', from: 4 },
    { json: '{"$tb":-1,"$maxCount":3}', from: 7 },
  ])('$json loses only the value that is out of range', async ({ json, from }) => {
    expect(await revisions(server.client, await limited(json))).toEqual(tail(from));
  });
});

describe('a truncated stream', () => {
  test('read from below its window: forwards from the window on, backwards nothing', async () => {
    const stream = await limited('{"$tb":6}');
    expect(await revisions(server.client, stream, { fromRevision: 2n })).toEqual([6, 7, 8, 9]);
    const below = { direction: BACKWARDS, fromRevision: 5n } as const;
    expect(await revisions(server.client, stream, below)).toEqual([]);
    const first = { direction: BACKWARDS, fromRevision: START } as const;
    expect(await revisions(server.client, stream, first)).toEqual([]);
  });

  test('exists even when nothing is left to see, and its revisions go on', async () => {
    const stream = await limited('{"$tb":10}');
    expect(await revisions(server.client, stream)).toEqual([]);
    expect(await attempt(server.client, stream, happened(), 9n)).toBe('written 10');
    expect(await revisions(server.client, stream)).toEqual([10]);
  });

  test('shows its old events again when the metadata is loosened', async () => {
    const stream = await limited('{"$tb":6}');
    await writeMetadata(stream, '{"$maxCount":5000}');
    expect(await revisions(server.client, stream)).toEqual(tail(0));
  });

  test('is whole in the log', async () => {
    const from = await headOfLog(server.client);
    const stream = await limited('{"$tb":10}');
    const seen: bigint[] = [];
    for await (const { event } of server.client.readAll({ fromPosition: { commit: from, prepare: from } }))
      if (event?.streamId === stream) seen.push(event.revision);
    expect(seen).toHaveLength(10);
  });
});

test('events older than $maxAge disappear from their stream', async () => {
  const stream = await limited('{"$maxAge":1}');
  await expect.poll(() => revisions(server.client, stream)).toEqual([]);
  expect(await attempt(server.client, stream, happened(), 9n)).toBe('written 10');
});

describe('metadata', () => {
  test('is set and read through the client', async () => {
    const stream = newStream();
    const written = await server.client.setStreamMetadata(stream, {
      maxCount: 4,
      truncateBefore: 2,
      owner: 'me',
    });
    expect(written).toMatchObject({ success: true, nextExpectedRevision: 0n });
    const { metadata } = await server.client.getStreamMetadata(stream);
    expect(metadata).toEqual({ maxCount: 4, truncateBefore: 2, owner: 'me' });
  });

  test('shows only its last event, whatever its own revision', async () => {
    const stream = newStream();
    for (const version of [1, 2, 3]) await server.client.setStreamMetadata(stream, { version });
    const events = await readStream(server.client, `$$${stream}`);
    expect(events.map(({ event }) => event?.revision)).toEqual([2n]);
    expect(
      await revisions(server.client, `$$${stream}`, { direction: BACKWARDS, fromRevision: END }),
    ).toEqual([2]);
  });

  test('has revisions of its own, checked like any', async () => {
    const stream = newStream();
    await given(server.client, stream, 'two events');
    const event = jsonEvent({ type: '$metadata', data: { $maxCount: 1 } });
    expect(await attempt(server.client, `$$${stream}`, [event], 1n)).toBe('wrong, is no_stream');
    expect(await attempt(server.client, `$$${stream}`, [event], ANY)).toBe('written 0');
    expect(await revisions(server.client, stream)).toEqual([1]);
  });

  test('that is not JSON limits nothing', async () => {
    const stream = await limited('{"$tb":6}');
    await append(server.raw, [
      appendOptions(`$$${stream}`),
      appendMessage({
        metadata: { type: '$metadata', 'content-type': 'application/octet-stream' },
        data: Buffer.from('{"$tb":6}'),
      }),
    ]);
    expect(await revisions(server.client, stream)).toEqual(tail(0));
  });
});
