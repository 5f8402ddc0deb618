import { eventTypeFilter, excludeSystemEvents, START, streamNameFilter } from '@eventstore/db-client';
import { describe, expect, test } from 'vitest';
import { contract, newStream } from './contract.ts';
import type { Reading } from './raw.ts';
import { allRead, fromPosition, kinds, read, recordedOf, subscribing, typeFilter } from './raw.ts';
import { collect, happened, headOfLog } from './steps.ts';

const server = contract();

/** An event type that only this test writes. */
const newType = (): string => newStream('Type');

const filtered = (from: bigint, prefixes: string[], window: number, multiplier = 1): Reading =>
  read(
    server.raw,
    subscribing(allRead())
      .setAll(fromPosition(from))
      .setFilter(typeFilter(prefixes, window, multiplier)),
  );

type Mark = { readonly kind: string; readonly commit: bigint; readonly prepare: bigint };
const marks = (reading: Reading): Mark[] =>
  reading.messages.map((message, index) => {
    const place = recordedOf(message) ?? message.getCheckpoint();
    return {
      kind: kinds(reading.messages)[index] ?? '',
      commit: BigInt(place?.getCommitPosition() ?? 0),
      prepare: BigInt(place?.getPreparePosition() ?? 0),
    };
  });
const checkpointsIn = (all: readonly Mark[]): Mark[] => all.filter(({ kind }) => kind === 'checkpoint');
const checkpoints = (reading: Reading): Mark[] => checkpointsIn(marks(reading));
const count = (reading: Reading, kind: string): number =>
  marks(reading).filter((mark) => mark.kind === kind).length;
const caughtUp = (reading: Reading): Promise<void> =>
  reading.until((messages) => kinds(messages).includes('caught_up'));

/** Ten events, of which the fourth and the eighth are wanted. */
const mixed = async (wanted: string): Promise<bigint> => {
  const from = await headOfLog(server.client);
  const types = Array.from({ length: 10 }, (_, index) => (index % 4 === 3 ? wanted : 'Other'));
  await server.client.appendToStream(
    newStream(),
    types.flatMap((type) => happened(1, type)),
  );
  return from;
};

/** eventstoredb.md §4.2. */
describe('a filtered subscription', () => {
  test.each([
    {
      what: 'a prefix of the type',
      filter: (type: string) => eventTypeFilter({ prefixes: ['no', type.slice(0, 20)] }),
    },
    { what: 'a pattern of the type', filter: (type: string) => eventTypeFilter({ regex: `^${type}$` }) },
  ])('shows only events that match $what', async ({ filter }) => {
    const type = newType();
    const from = await mixed(type);
    const subscription = server.client.subscribeToAll({
      fromPosition: { commit: from, prepare: from },
      filter: filter(type),
    });
    const seen: string[] = [];
    for await (const { event } of subscription) {
      seen.push(event?.type ?? '');
      if (seen.length === 2) await subscription.unsubscribe();
    }
    expect(seen).toEqual([type, type]);
  });

  test('with neither a pattern nor a prefix shows nothing', async () => {
    const from = await mixed(newType());
    const reading = filtered(from, [], 500);
    await caughtUp(reading);
    expect(count(reading, 'event')).toBe(0);
    reading.cancel();
  });

  test('shows only events whose stream matches', async () => {
    const category = newStream('wanted');
    await server.client.appendToStream(`${category}-1`, happened());
    await server.client.appendToStream(newStream(), happened());
    await server.client.appendToStream(`${category}-2`, happened());
    const filter = streamNameFilter({ prefixes: [`${category}-`] });
    const subscription = server.client.subscribeToAll({ fromPosition: START, filter });
    const seen: string[] = [];
    for await (const { event } of subscription) {
      seen.push(event?.streamId ?? '');
      if (seen.length === 2) await subscription.unsubscribe();
    }
    expect(seen).toEqual([`${category}-1`, `${category}-2`]);
  });

  test('can leave out system events', async () => {
    const type = newType();
    await server.client.setStreamMetadata(newStream(), { maxCount: 3 });
    await server.client.appendToStream(newStream(), happened(1, type));
    const subscription = server.client.subscribeToAll({ fromPosition: START, filter: excludeSystemEvents() });
    const seen: string[] = [];
    for await (const { event } of subscription) {
      seen.push(event?.type ?? '');
      if (event?.type === type) await subscription.unsubscribe();
    }
    expect(seen.filter((each) => each.startsWith('$'))).toEqual([]);
  });

  test('that finds nothing still says how far it has looked', async () => {
    const from = await headOfLog(server.client);
    await server.client.appendToStream(newStream(), happened(100));
    const reading = filtered(from, [newType()], 10);
    await caughtUp(reading);
    const places = checkpoints(reading);
    expect(places.length).toBeGreaterThan(5);
    // Where a page held no match, its beginning is sent, with a prepare position of 0.
    expect(places.some(({ prepare }) => prepare === 0n)).toBe(true);
    expect(places.at(-1)?.commit).toBeGreaterThan(from);
    expect(places.at(-1)?.commit).toBeLessThanOrEqual(await headOfLog(server.client));
    reading.cancel();
  });

  test('never sends a checkpoint ahead of a match that it has not delivered, and always a later one', async () => {
    const type = newType();
    const from = await mixed(type);
    for (let round = 0; round < 10; round += 1) await mixed(type);
    const reading = filtered(from, [type], 5);
    await caughtUp(reading);
    const places = marks(reading).filter(({ kind }) => kind === 'event' || kind === 'checkpoint');
    expect(count(reading, 'event')).toBe(22);
    places.slice(1).forEach((place, index) => {
      expect(place.commit).toBeGreaterThanOrEqual(places[index]?.commit ?? 0n);
    });
    const only = checkpoints(reading).map(({ commit }) => commit);
    expect(new Set(only).size).toBe(only.length);
    reading.cancel();
  });

  test('resumed from any of its checkpoints loses and repeats nothing', async () => {
    const type = newType();
    const from = await mixed(type);
    for (let round = 0; round < 6; round += 1) await mixed(type);
    const whole = filtered(from, [type], 3);
    await caughtUp(whole);
    const all = marks(whole)
      .filter(({ kind }) => kind === 'event')
      .map(({ commit }) => commit);
    for (const [index, place] of marks(whole).entries()) {
      if (place.kind !== 'checkpoint') continue;
      const before = marks(whole)
        .slice(0, index)
        .filter(({ kind }) => kind === 'event').length;
      const resumed = read(
        server.raw,
        subscribing(allRead())
          .setAll(fromPosition(place.commit, place.prepare))
          .setFilter(typeFilter([type], 3)),
      );
      await caughtUp(resumed);
      const rest = marks(resumed)
        .filter(({ kind }) => kind === 'event')
        .map(({ commit }) => commit);
      expect(rest).toEqual(all.slice(before));
      resumed.cancel();
    }
    whole.cancel();
  });

  test('ends its catch-up with a checkpoint at the last event it sent', async () => {
    const type = newType();
    const from = await mixed(type);
    const reading = filtered(from, [type], 500);
    await caughtUp(reading);
    const sequence = marks(reading);
    expect(sequence.map(({ kind }) => kind)).toEqual([
      'confirmation',
      'event',
      'event',
      'checkpoint',
      'caught_up',
    ]);
    expect(sequence[3]?.commit).toBe(sequence[2]?.commit);
    reading.cancel();
  });

  test('FX-106: live, sends one at the event with which the interval is full, matching or not', async () => {
    const from = await headOfLog(server.client);
    const reading = filtered(from, [newType()], 2, 3);
    await caughtUp(reading);
    /** Of the time after it last caught up: others may write faster than it reads. */
    const live = () =>
      checkpointsIn(marks(reading).slice(marks(reading).findLastIndex(({ kind }) => kind === 'caught_up')));
    while (live().length < 3) await server.client.appendToStream(newStream(), happened());
    reading.cancel();
    const log = await collect(server.client.readAll({ fromPosition: { commit: from, prepare: from } }));
    const positions = log.map(({ event }) => event?.position.commit);
    const places = live().map(({ commit }) => positions.indexOf(commit));
    expect(places).not.toContain(-1);
    expect(places.slice(1).map((place, index) => place - (places[index] ?? 0))).toEqual(
      places.slice(1).map(() => 6),
    );
    for (const { commit, prepare } of live()) expect(prepare).toBe(commit);
  });

  test('calls back in the client with checkpoints to resume from', async () => {
    const from = await headOfLog(server.client);
    await server.client.appendToStream(newStream(), happened(100));
    const reached: bigint[] = [];
    const subscription = server.client.subscribeToAll({
      fromPosition: { commit: from, prepare: from },
      filter: eventTypeFilter({
        prefixes: [newType()],
        maxSearchWindow: 10,
        checkpointReached: (_, { commit }) => {
          reached.push(commit);
          return Promise.resolve();
        },
      }),
    });
    subscription.on('data', () => undefined);
    await expect.poll(() => reached.length).toBeGreaterThan(3);
    await subscription.unsubscribe();
    expect([...reached].sort((a, b) => Number(a - b))).toEqual(reached);
  });
});
