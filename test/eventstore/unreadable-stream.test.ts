import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { makeSkipParkedEvent, readSkippedEvents } from '../../src/commands/log/skip-parked-event.ts';
import { activationStream, projectionStream } from '../../src/domain/streams.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { StreamUnreadable } from '../../src/eventstore/event-store.ts';
import { activated, deactivated } from '../projections/follow/a-story.ts';
import { startTestNode } from '../support/servers/node.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

let store: ReturnType<typeof connectEventStore>;
let logger: ReturnType<typeof quietLogger>;
let met: string[];

const node = await startTestNode();
const foreign = EventStoreDBClient.connectionString(node.url);
beforeEach(() => {
  logger = quietLogger();
  met = [];
  store = connectEventStore({
    url: node.url,
    logger,
    unreadable: ({ type, stream }) => met.push(`${type} of ${stream}`),
  });
});
afterAll(async () => {
  await foreign.dispose();
  await store.close();
  await node.close();
});

const forge = async (
  stream: string,
  type: string,
  data: object = {},
  metadata: object = { version: 1 },
): Promise<string> => {
  const event = jsonEvent({ id: randomUUID(), type, data: data as never, metadata });
  await foreign.appendToStream(stream, event);
  return event.id;
};
const skip = (eventId: string, key: string) =>
  makeSkipParkedEvent({ store, now: () => 1 })({
    projection: 'commands',
    key,
    eventId,
    reason: 'of nobody',
  });

test.each([
  ['damaged', 'AddonDeactivated', 1],
  ['of a newer version', 'AddonDeactivated', 99],
  ['of a type that nobody knows', 'AddonPaused', 1],
])(
  'OP-02: nothing is decided on a stream with an event that is %s, until it is passed over, on every instance',
  async (_what, type, version) => {
    const addonId = `A${randomUUID().replaceAll('-', '')}`;
    const stream = activationStream('O1', addonId);
    await store.append(stream, 'no-stream', [{ event: activated(1, 'O1', addonId).event }]);
    const eventId = await forge(stream, type, {}, { version });
    await store.append(stream, 1n, [{ event: deactivated(1, 'O1', addonId).event }]);
    const other = connectEventStore({ url: node.url, logger });
    for (const instance of [store, other]) {
      await expect(instance.read(stream)).rejects.toThrow(StreamUnreadable);
      await expect(instance.readEnd(stream, 'last', 2)).rejects.toThrow(StreamUnreadable);
      expect(await instance.readEnd(stream, 'first', 1)).toHaveLength(1);
    }
    expect(met).toEqual([`${type} of ${stream}`, `${type} of ${stream}`]);
    await skip(eventId, stream);
    for (const instance of [store, other]) {
      const { events, revision } = await instance.read(stream);
      expect(events.map(({ revision: at }) => at)).toEqual([0n, 2n]);
      expect(revision).toBe(2n);
      expect(await instance.readEnd(stream, 'last', 2)).toHaveLength(2);
    }
    const [told] = await store.readEnd(projectionStream('commands'), 'last', 1);
    expect(told).toMatchObject({ event: { data: { eventId } }, metadata: { reason: 'of nobody' } });
    await other.close();
  },
);

test('FX-39: an event is not passed over by what only a newer version knows', async () => {
  const addonId = `A${randomUUID().replaceAll('-', '')}`;
  const stream = activationStream('O1', addonId);
  const eventId = await forge(stream, 'AddonDeactivated');
  const metadata = { version: 99, maySkip: true };
  await forge(projectionStream('commands'), 'ParkedEventSkipped', { eventId }, metadata);
  await expect(store.read(stream)).rejects.toThrow(StreamUnreadable);
  await skip(eventId, stream);
  expect((await store.read(stream)).events).toEqual([]);
});

test('OP-02: nonsense among what is passed over counts as not there, with one alarm: other events can be passed over', async () => {
  expectTrouble(/ParkedEventSkipped .* cannot be decoded/);
  const id = randomUUID();
  for (const name of ['commands', 'activation-fence'])
    await forge(projectionStream(name), 'ParkedEventSkipped', { nonsense: 1 });
  await makeSkipParkedEvent({ store, now: () => 1 })({
    projection: 'activation-fence',
    key: 'k',
    eventId: id,
  });
  expect(await readSkippedEvents(store)('activation-fence')).toEqual(new Set([id]));
  await skip(id, 'k');
  await readSkippedEvents(store)('activation-fence');
  expect(met).toEqual([]);
  const alarms = logger.lines.filter(({ context }) => (context as { alarm?: boolean }).alarm);
  expect(alarms.map(({ message }) => message)).toEqual([
    expect.stringContaining('projection-activation_fence@0 is refused'),
    expect.stringContaining('projection-commands@'),
  ]);
});

test.each([
  ['of a type that only a newer version knows', 'AddonPaused', 1],
  ['of a newer version of its type', 'RevocationCompleted', 99],
])(
  'FX-39: an event %s that may be skipped holds nothing up, and the stream is read around it',
  async (_what, type, version) => {
    const addonId = `A${randomUUID().replaceAll('-', '')}`;
    const stream = activationStream('O1', addonId);
    const newer = () => forge(stream, type, {}, { version, maySkip: true });
    await newer();
    await store.append(stream, 0n, [{ event: activated(1, 'O1', addonId).event }]);
    for (let index = 0; index < 3; index += 1) await newer();
    const at = (events: readonly { readonly revision: bigint }[]) => events.map(({ revision }) => revision);

    const whole = await store.read(stream);
    expect([at(whole.events), whole.revision]).toEqual([[1n], 4n]);
    expect(at(await store.readEnd(stream, 'first', 1))).toEqual([1n]);
    expect(at(await store.readEnd(stream, 'last', 1))).toEqual([1n]);
    const newest = await store.readBack(stream, 'end', 1);
    expect([at(newest.events), newest.revision, newest.further]).toEqual([[1n], 4n, null]);
    const each = await store.readEach(stream, 0n, 10);
    expect(each.map((read) => read.kind === 'unreadable' && read.maySkip)).toEqual([
      true,
      false,
      true,
      true,
      true,
    ]);

    const appended = await store.append(stream, whole.revision, [
      { event: deactivated(1, 'O1', addonId).event },
    ]);
    expect(appended).toMatchObject({ ok: true, revision: 5n });
    expect(at(await store.readEnd(stream, 'first', 2))).toEqual([1n, 5n]);
    expect(at(await store.readEnd(stream, 'last', 2))).toEqual([1n, 5n]);
    expect(at(await store.readEnd(stream, 'last', 9))).toEqual([1n, 5n]);
    expect(met).toEqual([]);
    const told = logger.lines.filter(({ message }) => message.includes('only a newer version knows'));
    expect(told.map(({ context }) => context)).toEqual([{ type, stream }]);
  },
);

test('FX-39: the newest events are found behind many that are left out, and no more of them than were asked for', async () => {
  const addonId = `A${randomUUID().replaceAll('-', '')}`;
  const stream = activationStream('O1', addonId);
  const story = [activated(1, 'O1', addonId), deactivated(1, 'O1', addonId), activated(2, 'O1', addonId)];
  await store.append(
    stream,
    'no-stream',
    story.map(({ event }) => ({ event })),
  );
  const notes = Array.from({ length: 40 }, () =>
    jsonEvent({ type: 'NoteWritten', data: {}, metadata: { version: 1, maySkip: true } }),
  );
  await foreign.appendToStream(stream, notes);
  const newest = await store.readBack(stream, 'end', 1);
  expect([newest.events.map(({ revision }) => revision), newest.revision, newest.further]).toEqual([
    [2n],
    42n,
    1n,
  ]);
  const before = await store.readBack(stream, newest.further ?? 0n, 1);
  expect([before.events.map(({ revision }) => revision), before.further]).toEqual([[1n], 0n]);
});
