import { EventStoreDBClient, START, StreamNotFoundError, UnavailableError } from '@eventstore/db-client';
import { expect, test } from 'vitest';
import { startNode } from '../src/start-node.ts';
import { attempt, collect, given, happened, refusal, revisions } from './contract/steps.ts';
import { freshDatabase } from './support/databases.ts';
import { startTestNode } from './support/test-node.ts';

test('a restarted node knows every stream, and repetitions even with any, which a real server forgets', async () => {
  const database = await freshDatabase();
  const before = await startNode({ databaseUrl: database.url });
  const first = EventStoreDBClient.connectionString(before.url);
  const events = happened(2);
  await attempt(first, 'plain', events);
  await given(first, 'soft', 'soft-deleted');
  await given(first, 'hard', 'tombstoned');
  await first.setStreamMetadata('bounded', { maxCount: 1 });
  await attempt(first, 'bounded', happened(3));
  await first.dispose();
  await before.close();

  const after = await startNode({ databaseUrl: database.url });
  const client = EventStoreDBClient.connectionString(after.url);
  expect(await attempt(client, 'plain', events)).toBe('written 1');
  expect(await attempt(client, 'plain', happened(), 1n)).toBe('written 2');
  expect(await refusal(revisions(client, 'soft'))).toBeInstanceOf(StreamNotFoundError);
  expect(await attempt(client, 'hard', happened())).toBe('stream deleted');
  expect(await revisions(client, 'bounded')).toEqual([2]);
  await client.dispose();
  await after.close();
  await database.drop();
});

test('closing ends subscriptions and the batch stream with UNAVAILABLE: a normal end would hang the client', async () => {
  const node = await startTestNode();
  const client = EventStoreDBClient.connectionString(node.url);
  await attempt(client, 'any', happened());
  const subscription = client.subscribeToAll({ fromPosition: START });
  const caughtUp = new Promise<void>((resolve) => subscription.once('caughtUp', () => resolve()));
  const followed = refusal(collect(subscription));
  await caughtUp;
  const lost = node.faults.append({ kind: 'lost' });
  const pending = refusal(client.appendToStream('any', happened()));
  await lost.hit;
  await node.close();
  expect(await followed).toBeInstanceOf(UnavailableError);
  expect(await pending).toBeInstanceOf(UnavailableError);
  await client.dispose();
});
