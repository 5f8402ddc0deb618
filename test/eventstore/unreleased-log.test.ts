import type { Writable } from 'node:stream';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectFrom } from '../../src/cli/base/connect.ts';
import { readConfig } from '../../src/config/config.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { startService } from '../../src/process/service.ts';
import { runGrantbook } from '../cli/run-grantbook.ts';
import { settingsFor } from '../operations/running.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { freshDatabase, migratedDatabase } from '../support/servers/databases.ts';
import { startTestNode, type TestNode } from '../support/servers/node.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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
  expect(await log.isUnreleased()).toBe(false);
  await append('machine-M1', { v: 1 });
  expect(await log.isUnreleased(), 'another program has an event of that name').toBe(false);
  await append('addon-A1', { v: 1 });
  await append('addon-A2', { version: 1 });
  expect(await log.isUnreleased()).toBe(true);
});

test('FX-39: the log of this version is not, whatever is in it later', async () => {
  const other = await startTestNode();
  const writer = EventStoreDBClient.connectionString(other.url);
  const reader = connectEventStore({ url: other.url, logger: quietLogger() });
  const suspended = (metadata: object) =>
    writer.appendToStream('addon-A1', jsonEvent({ type: 'AddonSuspended', data: { at: 1 }, metadata }));
  await suspended({ version: 1 });
  await suspended({});
  expect(await reader.isUnreleased()).toBe(false);
  await Promise.all([writer.dispose(), reader.close()]);
  await other.close();
});

const sentence =
  'he event store of EVENTSTORE_URL holds the log of a version before 1.0.0, which no release reads. Nothing was changed. Let EVENTSTORE_URL lead to an empty event store, and DATABASE_URL to an empty database.';

test('FX-39: it is refused by the start, by `migrate`, by `doctor` and by every command, before anything is changed', async () => {
  await append('addon-A1', { v: 1 });
  const [fresh, migrated] = [await freshDatabase(), await migratedDatabase()];
  const envOf = (databaseUrl: string) => ({
    ...settingsFor({ databaseUrl, eventStoreUrl: node.url }),
    DATA_DIR: temporaryFolder(),
    PORT: '0',
  });
  const refusal = (databaseUrl: string) =>
    startService(readConfig(envOf(databaseUrl)), quietLogger() as never, new AbortController().signal).then(
      () => 'started',
      (error: Error) => error.message,
    );
  const commandLine = (databaseUrl: string, command: string) => {
    const env = envOf(databaseUrl);
    const servers = (stderr: Writable) => connectFrom({ env, stderr });
    return runGrantbook(command.split(' '), { env, servers });
  };
  for (const { url } of [fresh, migrated]) expect(await refusal(url)).toBe(`t${sentence}`);
  expect(await commandLine(fresh.url, 'migrate')).toMatchObject({ exitCode: 1, stderr: `T${sentence}\n` });
  const created = await commandLine(migrated.url, 'organization create --name Quay');
  expect(created).toMatchObject({ exitCode: 1, stderr: `T${sentence}\n` });
  const doctor = await commandLine(migrated.url, 'doctor');
  expect([doctor.exitCode, doctor.stdout + doctor.stderr]).toEqual([
    1,
    expect.stringContaining(`t${sentence}`),
  ]);
  const client = new Client({ connectionString: fresh.url });
  await client.connect();
  const { rows } = await client.query(
    `select relname from pg_class where relnamespace = 'public'::regnamespace`,
  );
  expect(rows).toEqual([]);
  await client.end();
  await Promise.all([fresh.drop(), migrated.drop()]);
});
