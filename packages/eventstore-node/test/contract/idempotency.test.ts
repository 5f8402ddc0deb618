import { ANY, jsonEvent, NO_STREAM, STREAM_EXISTS, StreamNotFoundError } from '@eventstore/db-client';
import { describe, expect, test } from 'vitest';
import { contract, embeddedOnly, newStream } from './contract.ts';
import { attempt, bothPaths, given, happened, readStream, refusal, revisions } from './steps.ts';

const server = contract();

/** eventstoredb.md §2.3: the same event ids again. */
describe.each(bothPaths)('sending events again by the %s path', (path) => {
  test('with the same exact revision changes nothing and answers as the first time', async () => {
    const stream = newStream();
    const [first, second, third] = [happened(2), happened(2), happened(1)];
    await attempt(server.client, stream, first, NO_STREAM, path);
    const original = await server.client.appendToStream(stream, second, { expectedRevision: 1n });
    await attempt(server.client, stream, third, 3n, path);
    const repeated = await server.client.appendToStream(stream, second, { expectedRevision: 1n });
    expect(repeated).toEqual(original);
    expect(await attempt(server.client, stream, first, NO_STREAM, path)).toBe('written 1');
    expect(await revisions(server.client, stream)).toEqual([0, 1, 2, 3, 4]);
  });

  test('with the advanced revision writes them a second time: ids are not unique in a stream', async () => {
    const stream = newStream();
    const events = happened(2);
    await attempt(server.client, stream, events, NO_STREAM, path);
    expect(await attempt(server.client, stream, events, 1n, path)).toBe('written 3');
    const ids = (await readStream(server.client, stream)).map(({ event }) => event?.id);
    expect(ids).toEqual([...events, ...events].map(({ id }) => id));
  });

  test('at an exact revision with another first or later event is refused', async () => {
    const stream = newStream();
    const events = happened(3);
    await attempt(server.client, stream, events, NO_STREAM, path);
    const changed = [...events.slice(0, 2), ...happened()];
    expect(await attempt(server.client, stream, changed, NO_STREAM, path)).toBe('wrong, is 2');
    const longer = [...events, ...happened()];
    expect(await attempt(server.client, stream, longer, NO_STREAM, path)).toBe('wrong, is 2');
    expect(await attempt(server.client, stream, happened(), NO_STREAM, path)).toBe('wrong, is 2');
  });

  test('in part, from its beginning, is a repetition too', async () => {
    const stream = newStream();
    const events = happened(3);
    await attempt(server.client, stream, events, NO_STREAM, path);
    expect(await attempt(server.client, stream, events.slice(0, 2), NO_STREAM, path)).toBe('written 1');
  });

  test.each([{ expected: ANY }, { expected: STREAM_EXISTS }] as const)(
    'with $expected is a repetition when all ids are known, in any order',
    async ({ expected }) => {
      const stream = newStream();
      const events = happened(3);
      await attempt(server.client, stream, events, NO_STREAM, path);
      expect(await attempt(server.client, stream, events, expected, path)).toBe('written 2');
      const swapped = events.slice(0, 2).reverse();
      expect(await attempt(server.client, stream, swapped, expected, path)).toBe('written 0');
      expect(await revisions(server.client, stream)).toEqual([0, 1, 2]);
    },
  );

  test('with any is refused when only later ones are new, and written when the first is', async () => {
    const stream = newStream();
    const events = happened(2);
    await attempt(server.client, stream, events, NO_STREAM, path);
    expect(await attempt(server.client, stream, [...events, ...happened()], ANY, path)).toBe('wrong, is 1');
    expect(await attempt(server.client, stream, [...happened(), ...events], ANY, path)).toBe('written 4');
  });

  test('to a soft-deleted stream answers the old revision without a position and leaves it deleted', async () => {
    const stream = newStream();
    const events = happened(2);
    await given(server.client, stream, 'soft-deleted', events);
    const repeated = await server.client.appendToStream(stream, events, { expectedRevision: ANY });
    expect(repeated).toEqual({ success: true, nextExpectedRevision: 1n, position: undefined });
    expect(await attempt(server.client, stream, events, NO_STREAM, path)).toBe('written 1');
    expect(await refusal(readStream(server.client, stream))).toBeInstanceOf(StreamNotFoundError);
  });

  test('to another stream is an append like any other', async () => {
    const events = happened(2);
    await attempt(server.client, newStream(), events, NO_STREAM, path);
    expect(await attempt(server.client, newStream(), events, NO_STREAM, path)).toBe('written 1');
  });
});

test('an event id keeps no memory of case', async () => {
  const stream = newStream();
  const event = jsonEvent({ type: 'Happened', data: {}, id: 'ABCDEF01-2345-4789-ABCD-EF0123456789' });
  await attempt(server.client, stream, [event], NO_STREAM);
  expect(await attempt(server.client, stream, [event], NO_STREAM)).toBe('written 0');
  expect((await readStream(server.client, stream))[0]?.event?.id).toBe(event.id.toLowerCase());
});

/** A real server throws here and never answers. */
test('sending them back to front with any is a repetition too', embeddedOnly, async () => {
  const stream = newStream();
  const events = happened(3);
  await attempt(server.client, stream, events, NO_STREAM);
  expect(await attempt(server.client, stream, [...events].reverse(), ANY)).toBe('written 0');
});
