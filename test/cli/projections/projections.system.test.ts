import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { packageRoot } from '../../../src/process/package-root.ts';
import { run, settingsFor } from '../../operations/running.ts';
import { profile } from '../../projections/follow/a-story.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestServers } from '../../support/test-servers.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { runBeside } from '../live-service.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

/** `grantbook projections` next to a service on servers of its own. */

const { node, database, stores } = await startTestServers();
const env = { PATH: process.env['PATH'], DATA_DIR: temporaryFolder(), ...settingsFor(stores) };
const running = await run(stores);
await running.workers.ready;
const tx = new pg.Client({ connectionString: database.url });
await tx.connect();
afterAll(async () => {
  await tx.end();
  await running.stop();
});

const projections = async (...args: readonly string[]) =>
  (await runBeside(env, ['projections', ...args, '--json'])).json;

const tell = (id: string, version: number, after: bigint | 'no-stream' = 'no-stream') => {
  const { stream, event } = profile(id, version);
  return running.core.store.append(stream, after, [{ event }]);
};
/** An event of ours that nobody can read. */
const tellUnreadable = async (id: string): Promise<string> => {
  const client = EventStoreDBClient.connectionString(node.url);
  const event = jsonEvent({ type: 'ProfileRecorded', data: {}, metadata: { version: 1 } });
  await client.appendToStream(profile(id).stream, event, { expectedRevision: 'no_stream' });
  await client.dispose();
  return event.id;
};
const shown = async (schema: string) =>
  (
    await tx.query<{ shown: string }>(
      `select id || ' v' || (item ->> 'version') as shown from ${schema}.profiles where id in ('A', 'B', 'C') order by id`,
    )
  ).rows.map((row) => row.shown);

test('OP-08: a rebuild says how far it is, parks what the live one parks, and leaves out what was skipped', async () => {
  expectTrouble(/its key is parked/);
  await tell('A', 1);
  await tell('C', 1);
  const eventId = await tellUnreadable('B'); // last, where a retry puts it
  await tell('B', 2, 0n);
  await running.settled();
  const { json, stderr } = await runBeside(env, ['projections', 'rebuild', 'lists', '--json']);
  expect(json).toMatchObject({ version: 2, parked_keys: 1 });
  expect(stderr).toMatch(/^100%, .* events, [\d,]+\/s, making indexes$/m);
  expect(await shown('public_lists_v2')).toEqual(['A v1', 'C v1']);
  await projections('drop', 'lists', '--version', '2');

  expect((await runBeside(env, ['parked', 'skip', eventId])).exitCode).toBe(0);
  expect(await shown('public')).toEqual(['A v1', 'B v2', 'C v1']);
  expect(await projections('rebuild', 'lists')).toMatchObject({
    version: 2,
    parked_keys: 0,
  });
  expect(await shown('public_lists_v2')).toEqual(['A v1', 'B v2', 'C v1']);
  expect(await projections('verify', 'lists')).toMatchObject({ equal: true });
  expect(await projections('swap', 'lists')).toMatchObject({ version: 2, previous_version: 1 });
  expect(await shown('public')).toEqual(['A v1', 'B v2', 'C v1']);
});

test("with other keys than the service's nothing is begun, and the setting is named", async () => {
  const others = { ...env, PERSONAL_DATA_KEYS: `k1:${randomBytes(32).toString('base64url')}` };
  for (const verb of ['rebuild', 'verify', 'swap']) {
    const { exitCode, json } = await runBeside(others, ['projections', verb, 'accounts', '--json']);
    expect([exitCode, json]).toMatchObject([
      1,
      { error: { code: 'personal-keys', message: expect.stringContaining('PERSONAL_DATA_KEYS') as string } },
    ]);
  }
  const { rows } = await tx.query(`select from projection_versions where name = 'accounts'`);
  expect(rows).toEqual([]);
});

const program = join(packageRoot, 'dist/src/cli/grantbook.js');
/** More than a rebuild writes at once. */
const many = 1_100;

/** From its second batch on a rebuild waits until `go`. */
const holdRebuilds = async (): Promise<() => Promise<void>> => {
  await tx.query(`
    create function hold() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock(4711); return new; end';
    create trigger hold before update on checkpoints for each row
      when (starts_with(new.name, 'rebuild:') and old.commit_position <> new.commit_position) execute function hold();
    select pg_advisory_lock(4711)`);
  return async () => void (await tx.query('select pg_advisory_unlock(4711); drop function hold cascade'));
};

test('a rebuild whose process is killed in the middle goes on where it was', async () => {
  for (let n = 0; n < many; n += 100)
    await Promise.all(Array.from({ length: 100 }, (_, index) => tell(`K${n + index}`, 1)));
  await running.settled();
  const go = await holdRebuilds();
  const args = [program, 'projections', 'rebuild', 'lists', '--json'];
  const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
  const waiting = `select from pg_locks where locktype = 'advisory' and objid = 4711 and not granted
                     and database = (select oid from pg_database where datname = current_database())`;
  await eventually(async () => expect((await tx.query(waiting)).rows).toHaveLength(1), 50);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await go();
  const written = async () =>
    (await tx.query<{ id: string }>(`select id, xmin::text from public_lists_v3.profiles order by ordinal`))
      .rows;
  const before = await written();
  expect(before.length).toBeGreaterThan(0);
  expect(before.length).toBeLessThan(many);

  // PostgreSQL gives the lock of the dead process back once it has noticed.
  await eventually(async () => expect(await projections('rebuild', 'lists')).toMatchObject({ version: 3 }));
  const after = await written();
  expect(after.length).toBeGreaterThanOrEqual(many);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(await projections('verify', 'lists')).toMatchObject({ version: 3, equal: true });
  expect(await projections('swap', 'lists')).toMatchObject({ version: 3, previous_version: 2 });
});
