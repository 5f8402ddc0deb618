import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { isUnreleased } from '../../src/eventstore/unreleased-log.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { startTestNode, type TestNode } from '../support/servers/node.ts';

let node: TestNode;
let raw: EventStoreDBClient;
let log: ReturnType<typeof connectEventStore>;
beforeAll(async () => {
  node = await startTestNode();
  raw = EventStoreDBClient.connectionString(node.url);
  log = connectEventStore({ url: node.url, logger: quietLogger() });
});
afterAll(async () => {
  await Promise.all([raw.dispose(), log.close()]);
  await node.close();
});

const append = (stream: string, metadata: object) =>
  raw.appendToStream(stream, jsonEvent({ type: 'AddonSuspended', data: { at: 1 }, metadata }));

test('FX-39: the log of a version before the first release is recognized by our first event in it, whoever else writes there', async () => {
  expect(await isUnreleased(log)).toBe(false);
  await append('machine-M1', { v: 1 });
  expect(await isUnreleased(log), 'another program has an event of that name').toBe(false);
  await append('addon-A1', { v: 1 });
  await append('addon-A2', { version: 1 });
  expect(await isUnreleased(log)).toBe(true);
});

test('FX-39: the log of this version is not, whatever is in it later', async () => {
  const other = await startTestNode();
  const writer = EventStoreDBClient.connectionString(other.url);
  const reader = connectEventStore({ url: other.url, logger: quietLogger() });
  const suspended = (metadata: object) =>
    writer.appendToStream('addon-A1', jsonEvent({ type: 'AddonSuspended', data: { at: 1 }, metadata }));
  await suspended({ version: 1 });
  await suspended({});
  expect(await isUnreleased(reader)).toBe(false);
  await Promise.all([writer.dispose(), reader.close()]);
  await other.close();
});
