import { EventStoreDBClient, NO_STREAM } from '@eventstore/db-client';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AnotherNode } from '../src/writer-connection.ts';
import { startNode } from '../src/start-node.ts';
import { attempt, collect, happened, revisions } from './contract/steps.ts';
import type { ChildNode } from './support/child-node.ts';
import { startChildNode } from './support/child-node.ts';
import type { TestDatabase } from './support/databases.ts';
import { freshDatabase } from './support/databases.ts';

let database: TestDatabase;
const children: ChildNode[] = [];

beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(async () => {
  for (const child of children) await child.close();
  await database.drop();
});

const start = async (settings: Partial<Parameters<typeof startChildNode>[0]> = {}): Promise<ChildNode> => {
  const child = await startChildNode({ databaseUrl: database.url, ...settings });
  children.push(child);
  return child;
};

const terminateConnections = async (): Promise<void> => {
  const admin = new Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await admin.end();
};

const positions = async (client: EventStoreDBClient): Promise<Map<string, bigint>> => {
  const events = await collect(client.readAll());
  return new Map(events.map(({ event }) => [event?.id ?? '', event?.position.commit ?? 0n]));
};

describe('the node as its own process', () => {
  test('killed at any moment and started again has every acknowledged event at the same position', async () => {
    const first = await start();
    const client = EventStoreDBClient.connectionString(first.url);
    const acknowledged = new Map<string, bigint>();
    let killed = false;
    const writing = Array.from({ length: 16 }, async (_, reader) => {
      for (let number = 0; !killed; number += 1) {
        const [event] = happened();
        const appended = client.appendToStream(`killed-${reader}.${number}`, event ?? [], {
          expectedRevision: NO_STREAM,
        });
        const { position } = await appended;
        acknowledged.set(event?.id ?? '', position?.commit ?? 0n);
        if (acknowledged.size === 300) process.kill(first.pid, 'SIGKILL');
      }
    });
    void first.exited.then(() => (killed = true));
    await Promise.allSettled(writing);
    expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await client.dispose();

    const second = await start();
    const after = EventStoreDBClient.connectionString(second.url);
    const stored = await positions(after);
    expect(acknowledged.size).toBeGreaterThanOrEqual(300);
    for (const [id, position] of acknowledged) expect(stored.get(id)).toBe(position);
    const { position } = await after.appendToStream('after-the-kill', happened());
    expect(position?.commit).toBeGreaterThan([...stored.values()].at(-1) ?? 0n);
    await after.dispose();
    await second.close();
    expect(await second.exited).toEqual({ code: 0, signal: null });
  });

  test('refuses a database that another node serves, and says so', async () => {
    const first = await start();
    const second = start({ lockPatienceMs: 200 });
    await expect(second).rejects.toThrow('another node already serves this event store database');
    await expect(startNode({ databaseUrl: database.url, lockPatienceMs: 200 })).rejects.toThrow(AnotherNode);
    await first.close();
    const third = await start();
    await third.close();
  });

  test('reports a taken port instead of starting', async () => {
    const first = await start();
    const other = await freshDatabase();
    const second = startChildNode({ databaseUrl: other.url, port: first.port });
    await expect(second).rejects.toThrow(`cannot listen on 127.0.0.1:${first.port}`);
    await other.drop();
    await first.close();
  });

  test('ends with its parent', async () => {
    const node = await start();
    node.disconnect();
    expect(await node.exited).toEqual({ code: 0, signal: null });
  });

  test('goes on after its connections to the database were lost', async () => {
    const node = await start();
    const client = EventStoreDBClient.connectionString(node.url);
    await client.appendToStream('before-the-loss', happened());
    await terminateConnections();
    const again = (): Promise<string> =>
      attempt(client, 'after-the-loss', happened(), NO_STREAM).catch(String);
    await expect.poll(again).toBe('written 0');
    await expect.poll(() => revisions(client, 'before-the-loss').catch(String)).toEqual([0]);
    await client.dispose();
    await node.close();
  });

  test('does not start in production unless it is forced to', async () => {
    const production = { NODE_ENV: 'production' };
    const refused = startChildNode({ databaseUrl: database.url }, production);
    await expect(refused).rejects.toThrow('not for production');
    const forced = await startChildNode({ databaseUrl: database.url, force: true }, production);
    expect(forced.stderr()).toContain('Not for production');
    await forced.close();
  });
});
