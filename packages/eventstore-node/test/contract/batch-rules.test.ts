import { randomUUID } from 'node:crypto';
import { StreamNotFoundError } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { contract, embeddedOnly, newStream } from './contract.ts';
import { batch, batchPart, verdict } from './raw.ts';
import { happened, refusal, revisions } from './steps.ts';

const server = contract();

/** eventstoredb.md §2.2, on one raw stream of appends. */
test('every append gets one answer with its own correlation id and stream, successes in order', async () => {
  const appends = Array.from({ length: 20 }, () => ({ id: randomUUID(), stream: newStream() }));
  const stream = batch(server.raw);
  stream.send(...appends.map((append) => batchPart(append.id, { stream: append.stream, events: [{}] })));
  await stream.count(20);
  expect(stream.answers.map((answer) => answer.getCorrelationId()?.getString())).toEqual(
    appends.map(({ id }) => id),
  );
  const names = stream.answers.map((answer) =>
    Buffer.from(answer.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString(),
  );
  expect(names).toEqual(appends.map((append) => append.stream));
  expect(new Set(stream.answers.map(verdict))).toEqual(new Set(['success 0']));
  stream.cancel();
});

test('the parts of an append are distinguished from those of others by their correlation id', async () => {
  const [one, two] = [randomUUID(), randomUUID()];
  const [first, second] = [newStream(), newStream()];
  const stream = batch(server.raw);
  stream.send(
    batchPart(one, { stream: first, final: false }),
    batchPart(two, { stream: second, events: [{}], final: false }),
    batchPart(one, { events: [{}, {}], final: false }),
    batchPart(two, { events: [{}] }),
    batchPart(one, { events: [{}] }),
  );
  await stream.count(2);
  expect(stream.answers.map(verdict)).toEqual(['success 1', 'success 2']);
  expect(await revisions(server.client, first)).toEqual([0, 1, 2]);
  expect(await revisions(server.client, second)).toEqual([0, 1]);
  stream.cancel();
});

test('an append whose deadline has passed is answered Timeout at once and not written', async () => {
  const name = newStream();
  const stream = batch(server.raw);
  stream.send(
    batchPart(randomUUID(), { stream: name, events: [{}], deadline: new Date(Date.now() - 60_000) }),
  );
  await stream.count(1);
  expect(stream.answers.map(verdict)).toEqual(['event_store.client.Timeout (4)']);
  expect(await refusal(revisions(server.client, name))).toBeInstanceOf(StreamNotFoundError);
  stream.cancel();
});

test('an append that is not finished within its deadline is answered Timeout, its late parts ignored', async () => {
  const [name, next, id] = [newStream(), newStream(), randomUUID()];
  const stream = batch(server.raw);
  stream.send(
    batchPart(id, { stream: name, events: [{}], final: false, deadline: new Date(Date.now() + 300) }),
  );
  await stream.count(1);
  stream.send(batchPart(id, { events: [{}] }), batchPart(randomUUID(), { stream: next, events: [{}] }));
  await stream.count(2);
  expect(stream.answers.map(verdict)).toEqual(['event_store.client.Timeout (4)', 'success 0']);
  expect(await refusal(revisions(server.client, name))).toBeInstanceOf(StreamNotFoundError);
  stream.cancel();
});

test('parts of an unknown append and a second set of options are ignored', async () => {
  const [name, other, id] = [newStream(), newStream(), randomUUID()];
  const stream = batch(server.raw);
  stream.send(
    batchPart(randomUUID(), { events: [{}] }),
    batchPart(id, { stream: name, events: [{}], final: false }),
    batchPart(id, { stream: other, events: [{}] }),
  );
  await stream.count(1);
  expect(stream.answers.map(verdict)).toEqual(['success 1']);
  expect(await revisions(server.client, name)).toEqual([0, 1]);
  stream.cancel();
});

test('an append larger than allowed is refused while it still arrives, and its rest ignored', async () => {
  const [name, next, id] = [newStream(), newStream(), randomUUID()];
  const half = { data: Buffer.alloc(600_000) };
  const stream = batch(server.raw);
  stream.send(
    batchPart(id, { stream: name, events: [half], final: false }),
    batchPart(id, { events: [half], final: false }),
    batchPart(id, { events: [half] }),
    batchPart(randomUUID(), { stream: next, events: [{}] }),
  );
  await stream.count(2);
  expect(stream.answers.map(verdict)).toEqual([
    'event_store.client.MaximumAppendSizeExceeded (3)',
    'success 0',
  ]);
  stream.cancel();
});

/** The real server answers these twice (§2.2), which breaks the client; the gateway never sends them. */
test.each([
  { what: 'no type', event: { metadata: { 'content-type': 'application/json' } } },
  { what: 'no content type', event: { metadata: { type: 'Happened' } } },
  { what: 'an empty type', event: { metadata: { type: '', 'content-type': 'application/json' } } },
  { what: 'a malformed id', event: { id: 'no-uuid' } },
  { what: 'the all-zero id', event: { id: '00000000-0000-0000-0000-000000000000' } },
])(
  'an event with $what refuses its append once, with BadRequest, and writes nothing',
  embeddedOnly,
  async ({ event }) => {
    const [name, next, id] = [newStream(), newStream(), randomUUID()];
    const stream = batch(server.raw);
    stream.send(
      batchPart(id, { stream: name, events: [{}, event], final: false }),
      batchPart(id, { events: [{}] }),
      batchPart(randomUUID(), { stream: next, events: [{}] }),
    );
    await stream.count(2);
    expect(stream.answers.map(verdict)).toEqual(['event_store.client.BadRequest (3)', 'success 0']);
    expect(await refusal(revisions(server.client, name))).toBeInstanceOf(StreamNotFoundError);
    stream.cancel();
  },
);

/** The real server leaves the stream open, and answers one of several. */
test('a half-close ends the stream with OK after what is pending is answered', embeddedOnly, async () => {
  const stream = batch(server.raw);
  stream.send(
    batchPart(randomUUID(), { stream: newStream(), events: [{}] }),
    batchPart(randomUUID(), { stream: newStream(), events: [{}] }),
  );
  stream.halfClose();
  expect((await stream.ended).code).toBe(status.OK);
  expect(stream.answers.map(verdict)).toEqual(['success 0', 'success 0']);
});

test('an append split over several requests by the client is one append', async () => {
  const name = newStream();
  await server.client.appendToStream(name, happened(50), { batchAppendSize: 500 });
  expect(await revisions(server.client, name)).toHaveLength(50);
});
