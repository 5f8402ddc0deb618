import { ANY, END, NO_STREAM, START } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { shared, streams } from '../../src/stubs.ts';
import { contract, newStream } from './contract.ts';
import type { Reading } from './raw.ts';
import { allRead, fromPosition, kinds, read, recordedOf, streamRead, subscribing } from './raw.ts';
import type { StreamState } from './steps.ts';
import { attempt, given, happened, headOfLog, readStream } from './steps.ts';

const server = contract();
const { StreamOptions } = streams.ReadReq.Options;

const subscribed = (stream: string, from: 'start' | 'end' | bigint = 'start'): Reading => {
  const options = subscribing(streamRead(stream));
  const bound = options.getStream() ?? new StreamOptions();
  if (from === 'end') bound.setEnd(new shared.Empty());
  else if (from !== 'start') bound.setRevision(String(from));
  return read(server.raw, options);
};

const events = (reading: Reading): number[] =>
  reading.messages.flatMap((message) => {
    const event = recordedOf(message);
    return event ? [Number(event.getStreamRevision())] : [];
  });

/** The same of one stream: on a shared server others write meanwhile. */
const eventsOf = (reading: Reading, stream: string): number[] =>
  reading.messages.flatMap((message) => {
    const event = recordedOf(message);
    return event && streamOf(event) === stream ? [Number(event.getStreamRevision())] : [];
  });

const streamOf = (event: NonNullable<ReturnType<typeof recordedOf>>): string =>
  Buffer.from(event.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();

const caughtUp = (reading: Reading): Promise<void> =>
  reading.until((messages) => kinds(messages).includes('caught_up'));

const received = (reading: Reading, count: number): Promise<void> =>
  reading.until(() => events(reading).length >= count);

/** eventstoredb.md §4.1, one stream. */
describe('a subscription to a stream', () => {
  test.each([
    { from: 'start', sees: [0, 1, 2, 3, 4] },
    { from: 2n, sees: [3, 4] },
    { from: 4n, sees: [] },
    { from: 'end', sees: [] },
  ] as const)('from $from confirms, shows $sees, and is caught up', async ({ from, sees }) => {
    const stream = newStream();
    await server.client.appendToStream(stream, happened(5));
    const reading = subscribed(stream, from);
    await caughtUp(reading);
    expect(kinds(reading.messages)).toEqual(['confirmation', ...sees.map(() => 'event'), 'caught_up']);
    expect(events(reading)).toEqual(sees);
    await server.client.appendToStream(stream, happened(2));
    await received(reading, sees.length + 2);
    expect(events(reading)).toEqual([...sees, 5, 6]);
    reading.cancel();
  });

  test.each<StreamState>(['never written', 'only metadata', 'soft-deleted'])(
    '%s confirms, is caught up, and shows what comes',
    async (state) => {
      const stream = newStream();
      await given(server.client, stream, state);
      const reading = subscribed(stream);
      await caughtUp(reading);
      expect(kinds(reading.messages)).toEqual(['confirmation', 'caught_up']);
      await attempt(server.client, stream, happened(2), ANY);
      await received(reading, 2);
      expect(events(reading)).toEqual(state === 'soft-deleted' ? [2, 3] : [0, 1]);
      reading.cancel();
    },
  );

  test('beyond the head skips events up to its revision', async () => {
    const stream = newStream();
    await given(server.client, stream, 'two events');
    const reading = subscribed(stream, 3n);
    await caughtUp(reading);
    await server.client.appendToStream(stream, happened(3));
    await received(reading, 1);
    expect(events(reading)).toEqual([4]);
    reading.cancel();
  });

  test('catches up through the window of the stream and then sees all that comes', async () => {
    const stream = newStream();
    await server.client.setStreamMetadata(stream, { maxCount: 2 });
    await server.client.appendToStream(stream, happened(5));
    const reading = subscribed(stream);
    await caughtUp(reading);
    expect(events(reading)).toEqual([3, 4]);
    await server.client.appendToStream(stream, happened(10));
    await received(reading, 12);
    expect(events(reading)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    reading.cancel();
  });

  test.each(['start', 'end', 1n] as const)(
    'tombstoned, from %s, is refused without a confirmation',
    async (from) => {
      const stream = newStream();
      await given(server.client, stream, 'tombstoned');
      const reading = subscribed(stream, from);
      expect(await reading.ended).toMatchObject({
        code: status.FAILED_PRECONDITION,
        trailers: { exception: 'stream-deleted' },
      });
      expect(reading.messages).toEqual([]);
    },
  );

  test('that is tombstoned meanwhile shows the tombstone and ends with the error', async () => {
    const stream = newStream();
    await given(server.client, stream, 'two events');
    const reading = subscribed(stream);
    await caughtUp(reading);
    await server.client.tombstoneStream(stream, { expectedRevision: ANY });
    expect(await reading.ended).toMatchObject({
      trailers: { exception: 'stream-deleted', 'stream-name': stream },
    });
    const last = recordedOf(reading.messages.at(-1));
    expect(last?.getStreamRevision()).toBe('9223372036854775807');
    expect(last?.getMetadataMap().get('type')).toBe('$streamDeleted');
  });
});

/** eventstoredb.md §4.1, the whole log. */
describe('a subscription to the log', () => {
  test('from the end shows only what comes', async () => {
    const [before, stream] = [newStream(), newStream()];
    await server.client.appendToStream(before, happened(3));
    const reading = read(
      server.raw,
      subscribing(allRead()).setAll(new streams.ReadReq.Options.AllOptions().setEnd(new shared.Empty())),
    );
    await caughtUp(reading);
    await server.client.appendToStream(stream, happened(3));
    await reading.until(() => eventsOf(reading, stream).length >= 3);
    expect(eventsOf(reading, stream)).toEqual([0, 1, 2]);
    expect(eventsOf(reading, before)).toEqual([]);
    reading.cancel();
  });

  test('from a position starts strictly after it; a prepare below the commit shows that event again', async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, happened(3));
    const position = (await readStream(server.client, stream))[1]?.event?.position?.commit ?? 0n;
    for (const [prepare, sees] of [
      [position, [2]],
      [position - 1n, [1, 2]],
    ] as const) {
      const reading = read(server.raw, subscribing(allRead()).setAll(fromPosition(position, prepare)));
      await reading.until(() => eventsOf(reading, stream).length >= sees.length);
      expect(eventsOf(reading, stream)).toEqual(sees);
      reading.cancel();
    }
  });

  test('FX-47: beyond the head catches up; once the log has grown over the place it ends where that is inside a record, and is served from there where it is between two', async () => {
    const beyond = (await headOfLog(server.client)) + 5_001n;
    const reading = read(server.raw, subscribing(allRead()).setAll(fromPosition(beyond)));
    await caughtUp(reading);
    await server.client.appendToStream(newStream(), happened(200));
    const positions = () =>
      reading.messages.flatMap((message) => recordedOf(message)?.getCommitPosition() ?? []);
    const end = await Promise.race([reading.ended, reading.until(() => positions().length > 0)]);
    // Which of them depends on where the records of this server begin.
    const isServed =
      !end && positions().length > 0 && positions().every((position) => BigInt(position) > beyond);
    const hasEnded =
      end?.code === status.INVALID_ARGUMENT && end.details?.includes('invalid position') === true;
    expect([isServed, hasEnded]).toContain(true);
    reading.cancel();
  });

  test('sees every event once and in order while others write', async () => {
    const from = await headOfLog(server.client);
    const reading = read(server.raw, subscribing(allRead()).setAll(fromPosition(from)));
    const written = Array.from({ length: 200 }, () => newStream());
    await Promise.all(written.map((stream) => server.client.appendToStream(stream, happened(3))));
    const own = new Set(written);
    const positions = () =>
      reading.messages.flatMap((message) => {
        const event = recordedOf(message);
        return event && own.has(streamOf(event)) ? [event.getCommitPosition()] : [];
      });
    await reading.until(() => positions().length >= 600);
    expect(positions()).toHaveLength(600);
    expect(positions().toSorted((a, b) => Number(BigInt(a) - BigInt(b)))).toEqual(positions());
    expect(new Set(positions()).size).toBe(600);
    reading.cancel();
  });

  test('in the client confirms, catches up, delivers, and ends when it unsubscribes', async () => {
    const stream = newStream();
    await server.client.appendToStream(stream, happened(2), { expectedRevision: NO_STREAM });
    const subscription = server.client.subscribeToStream(stream, { fromRevision: START });
    const signs: string[] = [];
    subscription.on('confirmation', () => void signs.push('confirmation'));
    subscription.on('caughtUp', () => void signs.push('caughtUp'));
    const seen: bigint[] = [];
    for await (const { event } of subscription) {
      seen.push(event?.revision ?? -1n);
      if (seen.length === 2) await server.client.appendToStream(stream, happened());
      if (seen.length === 3) await subscription.unsubscribe();
    }
    expect(seen).toEqual([0n, 1n, 2n]);
    expect(signs).toEqual(['confirmation', 'caughtUp']);
  });

  test('does not hold up other calls when its reader is slow', async () => {
    await server.client.appendToStream(newStream(), happened(300));
    const slow = server.client.subscribeToAll({ fromPosition: START });
    const iterator = slow[Symbol.asyncIterator]();
    await iterator.next();
    expect(await attempt(server.client, newStream(), happened())).toBe('written 0');
    await slow.unsubscribe();
    const quick = server.client.subscribeToAll({ fromPosition: END });
    await quick.unsubscribe();
  });
});
