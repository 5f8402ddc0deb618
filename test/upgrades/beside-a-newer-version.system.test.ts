import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { migrationsDir } from '../../src/process/package-root.ts';
import type { EventType } from '../../src/domain/events.ts';
import type { LogMessage, LogSubscriptions } from '../../src/eventstore/event-store.ts';
import { liveReadModels } from '../../src/projections/follow/checkpoint.ts';
import { noteEventTypes } from '../../src/projections/follow/checkpoint-event-types.ts';
import { migrate } from '../../src/projections/database/migrate.ts';
import type { Projection } from '../../src/projections/follow/projection.ts';
import { startProjector } from '../../src/projections/follow/projector.ts';
import { readModelProjections } from '../../src/projections/read-model-projections.ts';
import { makeAddon, makeCast, run, type Running, type Stores } from '../operations/running.ts';
import { freshDatabase } from '../support/servers/databases.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { startTestServers } from '../support/test-servers.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

expectTrouble(/^error: stands by: the next event is of a newer version/);

/** An event type that only the newer version knows. */
const newType = 'ThingMade' as EventType;

/** The tables of the newer version: ours, one more, and one more column. */
const migrateAsNewer = async (databaseUrl: string): Promise<void> => {
  const dir = await mkdtemp(join(tmpdir(), 'migrations-'));
  await cp(migrationsDir, dir, { recursive: true });
  await writeFile(
    join(dir, '9998-things.sql'),
    'create table things (stream text primary key); alter table addons add column colour text;',
  );
  await migrate(databaseUrl, dir);
  await rm(dir, { recursive: true });
};

const startScene = async () => {
  const { node, database, stores } = await startTestServers(onTestFinished, freshDatabase);
  await migrateAsNewer(database.url);
  expect(await migrate(database.url, migrationsDir), 'the version before, as it starts').toEqual([]);
  const older = await run(stores);
  const pool = new pg.Pool({ connectionString: database.url });
  const newer = EventStoreDBClient.connectionString(node.url);
  onTestFinished(async () => {
    await older.stop();
    await Promise.all([newer.dispose(), pool.end()]);
  });
  await older.workers.ready;
  const append = async (stream: string, type: string, data: object, metadata: object = { version: 1 }) =>
    newer.appendToStream(stream, jsonEvent({ type, data: data as never, metadata }));
  return { older, pool, stores, append };
};

/** The newer version's projector: its codec knows the type. */
const startNewerProjector = ({ databaseUrl }: Stores, log: LogSubscriptions, made: string[]) => {
  const things: Projection = {
    name: 'things',
    eventTypes: [newType],
    begin: () => ({
      apply: ({ event, stream }) => void (event.type === newType && made.push(stream)),
      write: () => Promise.resolve(),
    }),
  };
  async function* decoded(messages: AsyncIterable<LogMessage>): AsyncGenerator<LogMessage> {
    for await (const message of messages) {
      if (message.kind !== 'unreadable') yield message;
      else {
        const event = { type: newType, data: {} } as never;
        yield { kind: 'event', event: { ...message.event, created: 0, event, metadata: {} } };
      }
    }
  }
  return startProjector({
    databaseUrl,
    log: { subscribe: (options) => decoded(log.subscribe(options)) },
    projections: [...readModelProjections, things],
    logger: quietLogger(),
  });
};

const isReady = async ({ app }: Running) => (await app.inject({ url: '/health/ready' })).statusCode;

test('OP-11: while a newer version runs, an instance continues to read, skips what it does not know, and leads no further than what it can store', async () => {
  const { older, pool, stores, append } = await startScene();
  const { commands } = older.core;
  const cast = await makeCast(older.core);
  const { token, addonId } = await makeAddon(older.core, cast);
  const record = { name: 'Eve', email: 'e@example.com', userId: null, phone: null, locale: null };
  const recordProfile = (id: string) =>
    commands.recordProfile({
      organizationId: cast.organizationId,
      id,
      version: 1,
      record: { ...record, externalId: null },
    });
  const profiles = async () =>
    (await pool.query<{ count: number }>('select count(*)::int as count from profiles')).rows[0]?.count;
  await older.settled();
  expect([await older.list(token), await profiles()]).toEqual([200, 2]);

  await append('thing-T1', newType, {});
  await append(`addon-${addonId}`, 'AddonSuspended', { at: 1, colour: 'red' }, { version: 1, other: 1 });
  await older.settled();
  const addon = (await older.core.readModels.addons()).find((one) => one.addonId === addonId);
  expect(addon?.suspended, 'an event with a field and a metadata key of the newer version').toBe(true);
  await commands.resumeAddon(addonId);
  await recordProfile('P3');
  await older.settled();
  expect([await older.list(token), await profiles()]).toEqual([200, 3]);

  await noteEventTypes(pool, { [liveReadModels]: [newType] });
  await append('thing-T2', newType, {});
  await recordProfile('P4');
  const told = () =>
    older.lines.filter(({ msg }) => msg.startsWith('stands by: the next event is of a newer'));
  await expect.poll(told).not.toEqual([]);
  expect(older.workers.status().projector).toMatchObject({ role: 'standby', healthy: true });
  expect([await profiles(), await older.list(token), await isReady(older)]).toEqual([3, 200, 200]);

  const made: string[] = [];
  const newer = startNewerProjector(stores, older.core.store, made);
  await newer.caughtUp;
  expect([made, await profiles()]).toEqual([['thing-T2'], 4]);
  expect(older.workers.status().projector).toMatchObject({ role: 'standby', healthy: true });

  await newer.stop();
  await recordProfile('P5');
  await expect.poll(profiles).toBe(5);
  expect(older.workers.status().projector).toMatchObject({ role: 'leading', healthy: true });
});
