import type { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { connectFrom } from '../../src/cli/base/connect.ts';
import { startService } from '../../src/process/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runGrantbook } from '../cli/run-grantbook.ts';
import { migratedDatabase, type TestDatabase } from '../support/servers/databases.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { startRestorableLog, type RestorableLog } from './restorable-log.ts';
import { makeAddon, makeCast, run, settingsFor, type Cast } from './running.ts';
import { watchedLogger } from '../support/trouble/watched-lines.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

let log: RestorableLog;
let database: TestDatabase;
let cast: Cast;
/** Of the log as it was when there was no add-on yet. */
let backup: string;
/** Why the service did not start. */
let said: string;

const stores = () => ({ databaseUrl: database.url, eventStoreUrl: log.url });

beforeAll(async () => {
  [log, database] = [await startRestorableLog(), await migratedDatabase()];
  const first = await run(stores());
  await first.workers.ready;
  cast = await makeCast(first.core);
  await first.settled();
  await first.stop();
  backup = await log.backUp();
});
afterAll(async () => {
  await log.close();
  await database.drop();
});

const refusal = (): Promise<string> =>
  startService(
    readConfig({ ...settingsFor(stores()), PORT: '0' }),
    watchedLogger(),
    new AbortController().signal,
  ).then(
    async (service) => {
      await service.close();
      return 'started';
    },
    (error: Error) => `${error.name}: ${error.message}`,
  );

const grow = async (beyond: bigint) => {
  const store = connectEventStore({ url: stores().eventStoreUrl, logger: quietLogger() });
  for (let n = 0; ((await store.head())?.commit ?? 0n) <= beyond; n++)
    await store.append(`organization-X${n}`, 'no-stream', [
      { event: { type: 'OrganizationCreated', data: { organizationId: `X${n}`, name: 'Another', at: n } } },
    ]);
  await store.close();
};

test('an older log behind a running service: nothing is accepted from the first doubt on, and it stops', async () => {
  expectTrouble(/^error: the event store seems to have gone back/);
  const running = await run(stores());
  await running.workers.ready;
  const addon = await makeAddon(running.core, cast);
  await expect.poll(() => running.list(addon.token)).toBe(200);
  await running.core.commands.deactivateAddon(await makeAddon(running.core, cast));
  await running.settled();
  await log.restore(backup);
  expect(await running.workers.logLost).toMatch(
    /^the event store of EVENTSTORE_URL does not have the log that/,
  );
  expect(running.workers.trusted()).toBe(false);
  expect(await running.list(addon.token)).toBe(503);
  await running.stop();
});

test('FX-103: an older log at start, and for every command, is found by the checkpoints that are ahead of it, and said', async () => {
  said = await refusal();
  expect(said).toMatch(/^CannotStart: the event store of EVENTSTORE_URL does not have the log that/);
  expect(said).toMatch(
    /Ahead of its newest event \(\d+\): (?:[\w-]+ \(\d+\), )*read-models \(\d+\), revoke-on-deactivation \(\d+\)(?:, (?:signals|streams|timelines) \(\d+\))*\./,
  );
  expect(said).toMatch(/Missing from it: event [0-9a-f-]{36}, revision \d+ of \w+-\S+ at position \d+/);
  expect(said).toMatch(/The newest event that both are known to have is event \S+, revision \d+ of profile-/);
  expect(said).toContain('docs/how-to/back-up-and-restore.md');
  expect(await refusal()).toBe(said); // asking changes nothing
  const sentence = said.replace('CannotStart: the', 'The');
  for (const command of ['audit check-log', 'audit check-log --full', 'organization create --name Quay']) {
    const env = { ...settingsFor(stores()), DATA_DIR: temporaryFolder() };
    const servers = (stderr: Writable) => connectFrom({ env, stderr });
    const { exitCode, stderr } = await runGrantbook(command.split(' '), { env, servers });
    expect([exitCode, stderr.trim()]).toEqual([1, sentence]);
  }
});

test('also when it has grown beyond every checkpoint since', async () => {
  await grow(BigInt(/read-models \((\d+)\)/.exec(said)?.[1] ?? '0'));
  said = await refusal();
  expect(said).toMatch(/^CannotStart: the event store of EVENTSTORE_URL does not have the log that/);
  expect(said).not.toContain('Ahead of its newest event');
  expect(said).toMatch(/Missing from it: event/);
});

test('what is given up is given up by making the tables anew: then it starts', async () => {
  expectTrouble(/^error: key lost: the key of a person is missing/);
  await database.drop();
  database = await migratedDatabase();
  expect(await refusal()).toBe('started');
});
