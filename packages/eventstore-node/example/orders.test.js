import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { EventStoreDBClient } from '@eventstore/db-client';
import { startNode } from '@grantbook/eventstore-node';
import { startPostgres } from '@grantbook/eventstore-node/postgres';
import { historyOf, placeOrder } from './orders.js';

/** @type {string} */ let folder;
/** @type {import('@grantbook/eventstore-node/postgres').EmbeddedPostgres} */ let postgres;
/** @type {import('@grantbook/eventstore-node').EmbeddedNode} */ let node;
/** @type {EventStoreDBClient} */ let log;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orders-'));
  // With a PostgreSQL at hand this is not needed: startNode takes the URL of any empty database.
  postgres = await startPostgres({ dataDir: folder, settings: { fsync: 'off' } });
  await postgres.createDatabase('log');
  node = await startNode({ databaseUrl: postgres.url('log') });
  log = EventStoreDBClient.connectionString(node.url);
});

after(async () => {
  await log?.dispose();
  await node?.close();
  await postgres?.close();
  await rm(folder, { recursive: true, force: true });
});

test('an order is placed once', async () => {
  assert.equal(await placeOrder(log, '1', 4_200), 'placed');
  assert.equal(await placeOrder(log, '1', 4_200), 'placed before');
  assert.deepEqual(await historyOf(log, '1'), ['OrderPlaced']);
});

test('a read that the server does not answer in time is an error, not an order that is unknown', async () => {
  node.faults.read({ kind: 'not-ready' });
  await assert.rejects(historyOf(log, '2'));
  assert.deepEqual(await historyOf(log, '2'), []);
});
