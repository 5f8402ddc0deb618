import { BACKWARDS, END, FORWARDS, START, StreamNotFoundError } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { beforeAll, describe, expect, test } from 'vitest';
import { shared, streams } from '../../src/stubs.ts';
import { contract, embeddedOnly, newStream } from './contract.ts';
import { kinds, readToEnd, recordedOf, streamRead } from './raw.ts';
import type { StreamState } from './steps.ts';
import { given, happened, readStream, refusal, revisions } from './steps.ts';

const server = contract();
const stream = newStream();
beforeAll(async () => void (await server.client.appendToStream(stream, happened(5))));

/** eventstoredb.md §3.4, one stream. */
describe('a stream of five events', () => {
  test.each([
    { direction: FORWARDS, fromRevision: START, sees: [0, 1, 2, 3, 4] },
    { direction: FORWARDS, fromRevision: 2n, sees: [2, 3, 4] },
    { direction: FORWARDS, fromRevision: 4n, sees: [4] },
    { direction: FORWARDS, fromRevision: 5n, sees: [] },
    { direction: FORWARDS, fromRevision: 900n, sees: [] },
    { direction: BACKWARDS, fromRevision: END, sees: [4, 3, 2, 1, 0] },
    { direction: BACKWARDS, fromRevision: 2n, sees: [2, 1, 0] },
    { direction: BACKWARDS, fromRevision: 900n, sees: [4, 3, 2, 1, 0] },
    { direction: BACKWARDS, fromRevision: START, sees: [0] },
  ] as const)('read $direction from $fromRevision shows $sees', async ({ direction, fromRevision, sees }) => {
    expect(await revisions(server.client, stream, { direction, fromRevision })).toEqual(sees);
  });

  test.each([
    { direction: FORWARDS, fromRevision: 1n, sees: [1, 2] },
    { direction: BACKWARDS, fromRevision: END, sees: [4, 3] },
  ] as const)(
    'two of them $direction from $fromRevision are $sees',
    async ({ direction, fromRevision, sees }) => {
      const options = { direction, fromRevision, maxCount: 2 };
      expect(await revisions(server.client, stream, options)).toEqual(sees);
    },
  );

  test('read forwards from the end, or none of them, is an error', async () => {
    const fromEnd = readStream(server.client, stream, { direction: FORWARDS, fromRevision: END });
    expect(await refusal(fromEnd)).toMatchObject({ code: status.UNKNOWN });
    for (const name of [stream, newStream()])
      expect(await refusal(readStream(server.client, name, { maxCount: 0 }))).toMatchObject({
        code: status.UNKNOWN,
        message: expect.stringContaining('Unexpected ReadStreamResult: Error'),
      });
  });
});

describe.each<StreamState>(['never written', 'only metadata', 'soft-deleted'])('a stream %s', (state) => {
  test.each([
    { direction: FORWARDS, fromRevision: START },
    { direction: FORWARDS, fromRevision: 7n },
    { direction: BACKWARDS, fromRevision: END },
  ] as const)('is not found $direction from $fromRevision', async (options) => {
    const name = newStream();
    await given(server.client, name, state);
    const error = await refusal(readStream(server.client, name, options));
    expect(error).toBeInstanceOf(StreamNotFoundError);
    expect(error).toMatchObject({ streamName: name });
  });
});

test('not found is a message of its own, and the call ends with OK', async () => {
  const { messages, code } = await readToEnd(server.raw, streamRead(newStream()));
  expect(kinds(messages)).toEqual(['stream_not_found']);
  expect(code).toBe(status.OK);
});

test('a tombstoned stream and its metadata stream answer that they are deleted', async () => {
  const name = newStream();
  await given(server.client, name, 'tombstoned');
  for (const deleted of [name, `$$${name}`])
    expect(await refusal(readStream(server.client, deleted))).toMatchObject({ type: 'stream-deleted' });
  const { code, trailers } = await readToEnd(server.raw, streamRead(name));
  expect(code).toBe(status.FAILED_PRECONDITION);
  expect(trailers).toMatchObject({ exception: 'stream-deleted', 'stream-name': name });
});

describe('a recorded event on the wire', () => {
  test('has its id, stream, revision, positions and exactly three metadata keys', async () => {
    const { messages } = await readToEnd(server.raw, streamRead(stream, '2'));
    const event = recordedOf(messages[1]);
    expect(event?.getStreamRevision()).toBe('1');
    expect(event?.getCommitPosition()).toBe(event?.getPreparePosition());
    expect(messages[1]?.getEvent()?.getCommitPosition()).toBe(event?.getCommitPosition());
    const metadata = new Map(event?.getMetadataMap().getEntryList());
    expect([...metadata.keys()].sort()).toEqual(['content-type', 'created', 'type']);
    expect(metadata.get('created')).toMatch(/^\d{17}$/);
    expect(metadata.get('content-type')).toBe('application/json');
  });

  test('has its id in two halves when the caller asks for that', async () => {
    const plain = recordedOf((await readToEnd(server.raw, streamRead(stream))).messages[0]);
    const options = streamRead(stream);
    options.getUuidOption()?.setStructured(new shared.Empty());
    const event = recordedOf((await readToEnd(server.raw, options)).messages[0]);
    const hex = plain?.getId()?.getString().replaceAll('-', '') ?? '';
    const halves = [hex.slice(0, 16), hex.slice(16)].map((half) =>
      String(BigInt.asIntN(64, BigInt(`0x${half}`))),
    );
    expect(event?.getId()?.getStructured()?.getMostSignificantBits()).toBe(halves[0]);
    expect(event?.getId()?.getStructured()?.getLeastSignificantBits()).toBe(halves[1]);
  });
});

/** eventstoredb.md §3.1. */
describe('a read is an invalid argument', () => {
  test.each([
    { without: 'a UUID option', bend: (options: ReturnType<typeof streamRead>) => options.clearUuidOption() },
    { without: 'a filter oneof', bend: (options: ReturnType<typeof streamRead>) => options.clearNoFilter() },
    { without: 'a count', bend: (options: ReturnType<typeof streamRead>) => options.clearCount() },
  ])('without $without', async ({ bend }) => {
    const options = streamRead(stream);
    bend(options);
    expect((await readToEnd(server.raw, options)).code).toBe(status.INVALID_ARGUMENT);
  });

  test('a read without a revision ends with UNKNOWN', async () => {
    const options = streamRead(stream);
    options.getStream()?.clearStart();
    expect((await readToEnd(server.raw, options)).code).toBe(status.UNKNOWN);
  });
});

test('a caller that understands them gets the first and the last revision', async () => {
  const options = streamRead(stream, '2').setControlOption(
    new streams.ReadReq.Options.ControlOption().setCompatibility(1),
  );
  const { messages } = await readToEnd(server.raw, options);
  expect(messages.at(-1)?.getLastStreamPosition()).toBe('4');
});

/** The real server fails to send such an error (§2.6). */
test('an error about a stream with a non-ASCII name arrives all the same', embeddedOnly, async () => {
  const name = `${newStream()}-ä`;
  await given(server.client, name, 'tombstoned');
  expect(await refusal(readStream(server.client, name))).toMatchObject({ type: 'stream-deleted' });
});
