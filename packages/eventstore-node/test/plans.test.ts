import { Client } from 'pg';
import { expect, test } from 'vitest';
import { EventStoreDBClient, NO_STREAM } from '@eventstore/db-client';
import { newStream } from './contract/contract.ts';
import { attempt, collect, happened, revisions } from './contract/steps.ts';
import { startNode } from '../src/start-node.ts';
import { freshDatabase } from './support/databases.ts';

test('every statement on the log uses an index, also when it was prepared on empty tables', async () => {
  const database = await freshDatabase();
  const node = await startNode({ databaseUrl: database.url });
  const client = EventStoreDBClient.connectionString(node.url);
  const stream = newStream();
  const events = happened(2);
  await Promise.all(Array.from({ length: 50 }, () => attempt(client, newStream(), happened())));
  await attempt(client, stream, events);
  await attempt(client, stream, events);
  await attempt(client, stream, events, NO_STREAM);
  await revisions(client, stream);
  await revisions(client, stream, { direction: 'backwards', fromRevision: 'end' });
  await collect(client.readAll());
  await collect(client.readAll({ direction: 'backwards', fromPosition: 'end' }));
  await client.dispose();
  await node.close();

  const admin = new Client({ connectionString: database.url });
  await admin.connect();
  const scans = async (): Promise<Record<string, number>> => {
    const found = await admin.query<{ relname: string; seq_scan: number }>(
      "select relname, seq_scan::int from pg_stat_user_tables where schemaname = 'eventstore' and idx_scan > 0",
    );
    return Object.fromEntries(found.rows.map(({ relname, seq_scan }) => [relname, seq_scan]));
  };
  // Sessions report their statistics at the latest when they end, before they are gone from the list.
  const sessions = async () =>
    (
      await admin.query(
        "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'",
      )
    ).rowCount;
  await expect.poll(sessions).toBe(0);
  // Building the indexes scans: three on events, two on streams. Nothing after that does.
  expect(await scans()).toEqual({ events: 3, streams: 2 });
  await admin.end();
  await database.drop();
});
