import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeSkipParkedEvent, readSkippedEvents } from '../../src/commands/skip-parked-event.ts';
import { activationStream, projectionStream } from '../../src/domain/streams.ts';
import { connectEventStore } from '../../src/eventstore/esdb.ts';
import { StreamUnreadable } from '../../src/eventstore/event-store.ts';
import { activated, deactivated } from '../projections/a-story.ts';
import { startTestNode, type TestNode } from '../support/node.ts';
import { quietLogger } from '../support/quiet-logger.ts';

let node: TestNode;
let foreign: EventStoreDBClient;
let store: ReturnType<typeof connectEventStore>;
let logger: ReturnType<typeof quietLogger>;
let met: string[];

beforeAll(async () => {
  node = await startTestNode();
  foreign = EventStoreDBClient.connectionString(node.url);
});
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

const forge = async (stream: string, type: string, data: object = {}, version = 1): Promise<string> => {
  const event = jsonEvent({ id: randomUUID(), type, data: data as never, metadata: { v: version } });
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
    const eventId = await forge(stream, type, {}, version);
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
      expect(await instance.readEnd(stream, 'last', 2)).toHaveLength(1);
    }
    const [told] = await store.readEnd(projectionStream('commands'), 'last', 1);
    expect(told).toMatchObject({ event: { data: { eventId } }, metadata: { reason: 'of nobody' } });
    await other.close();
  },
);

test('OP-02: nonsense among what is passed over counts as not there, with one alarm: other events can be passed over', async () => {
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
