import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountStream } from '../../src/domain/streams.ts';
import { runBeside } from '../cli/live-service.ts';
import { migratedDatabase, type TestDatabase } from '../support/servers/databases.ts';
import { startTestNode, type TestNode } from '../support/servers/node.ts';
import { valueOf } from '../support/outcomes.ts';
import { dumpTables } from '../support/log/read-models.ts';
import { makeAddon, makeCast, run, settingsFor, type Cast, type Running } from './running.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';
import { profileOf } from '../support/scenes/profile.ts';

let node: TestNode;
let database: TestDatabase;
let running: Running;
let cast: Cast;
const addons: Record<
  'lives' | 'ended' | 'again' | 'suspended',
  Awaited<ReturnType<typeof makeAddon>>
> = {} as never;

type SubjectKey = Readonly<Record<string, unknown>>;
let subjectKeys: readonly SubjectKey[];
let before: Awaited<ReturnType<typeof dump>>;
let kids: readonly string[];

const start = async () => {
  running = await run({ databaseUrl: database.url, eventStoreUrl: node.url });
  await running.workers.ready;
};

const withPool = async <T>(use: (pool: pg.Pool) => Promise<T>): Promise<T> => {
  const pool = new pg.Pool({ connectionString: database.url });
  try {
    return await use(pool);
  } finally {
    await pool.end();
  }
};

/** Everything that the log makes; checkpoints move on by themselves. */
const dump = () =>
  withPool(async (pool) => {
    const { checkpoints: _moves, ...tables } = await dumpTables(pool);
    return tables;
  });

const publishedKids = async () =>
  (await running.app.inject({ url: '/oauth/jwks' }))
    .json<{ keys: { kid: string }[] }>()
    .keys.map(({ kid }) => kid);

/** The server of the database is gone with all that was on it. */
const lose = async () => {
  await running.stop();
  await database.drop();
  database = await migratedDatabase();
};

beforeAll(async () => {
  node = await startTestNode();
  database = await migratedDatabase();
  await start();
  cast = await makeCast(running.core);
  const { commands } = running.core;
  const { organizationId } = cast;
  for (const name of ['lives', 'ended', 'again', 'suspended'] as const)
    addons[name] = await makeAddon(running.core, cast);
  await commands.refreshToken({
    addonId: addons.lives.addonId,
    refreshToken: addons.lives.refreshToken,
    scopes: null,
    resources: null,
  });
  await commands.deactivateAddon(addons.ended);
  await commands.deactivateAddon(addons.again);
  valueOf(await commands.activateAddon({ ...addons.again, sessionId: null }));
  valueOf(await commands.suspendAddon(addons.suspended.addonId));
  const record = profileOf('Eve', { email: 'e@example.com', userId: cast.userId });
  await commands.recordProfile({ organizationId, id: 'P1', version: 2, record });
  await running.settled();
  before = await dump();
  subjectKeys = await withPool(
    async (pool) => (await pool.query<SubjectKey>('select * from subject_keys')).rows,
  );
  kids = await publishedKids();
});
afterAll(async () => {
  await running.stop();
  await database.drop();
  await node.close();
});

test('with the keys of persons from a backup, every table comes back from the log as it was, row by row', async () => {
  await lose();
  await withPool(async (pool) => {
    await pool.query(
      'insert into subject_keys select * from jsonb_populate_recordset(null::subject_keys, $1)',
      [JSON.stringify(subjectKeys.map((row) => toJson(row)))],
    );
  });
  await start();
  await running.settled();
  const tables = Object.keys(before).filter((table) => (before[table] ?? []).length > 0);
  expect(tables).toEqual(
    expect.arrayContaining(['fence', 'grants', 'activations', 'profiles', 'organizations']),
  );
  expect(await dump()).toEqual(before);
});

test('what was closed is closed, and what lives goes on: the log says which (P1, DE-05)', async () => {
  expect(await running.list(addons.ended.token)).toBe(401);
  expect(await running.list(addons.again.token)).toBe(401);
  expect(await running.list(addons.suspended.token)).toBe(401);
  expect(await running.list(addons.lives.token)).toBe(200);
});

test('keys that sign id_tokens are made anew: what the old ones signed is nothing any more', async () => {
  const now = await publishedKids();
  expect(now).toHaveLength(kids.length);
  expect(now.filter((kid) => kids.includes(kid))).toEqual([]);
});

test('TR-03: without the keys of persons the same tables come back, with key lost where a person was', async () => {
  expectTrouble(/^error: key lost: the key of a person is missing/);
  await lose();
  await start();
  await running.settled();
  const after = await dump();
  for (const table of ['fence', 'grants', 'activations', 'consents', 'addons'])
    expect([table, after[table]]).toEqual([table, before[table]]);
  const text = JSON.stringify(after);
  expect(text).toContain('key lost');
  expect(text).not.toContain('erased');
  for (const person of ['Bo', 'Eve', 'e@example.com']) expect(text).not.toContain(`"${person}"`);
  expect(await running.list(addons.lives.token)).toBe(200);
});

test('TR-03: lost keys alarm, fail the doctor, and stop a rebuild, whoever comes upon them', async () => {
  const ready = await running.app.inject({ url: '/health/ready' });
  expect([ready.statusCode, ready.json()]).toMatchObject([
    200,
    {
      status: 'degraded',
      checks: { personalKeys: expect.stringMatching(/^key lost: of 3 persons/) as string },
    },
  ]);
  expect((await running.app.inject({ url: '/metrics' })).body).toContain(
    '\ngrantbook_personal_keys_lost 3\n',
  );
  const alarms = running.lines.filter(({ alarm, msg }) => alarm && msg.startsWith('key lost'));
  expect(alarms).toHaveLength(3);

  const doctor = await grantbook('doctor');
  expect([doctor.exitCode, doctor.json]).toMatchObject([
    1,
    {
      findings: expect.arrayContaining([
        expect.objectContaining({
          check: 'keys of persons',
          state: 'failure',
          found: expect.stringContaining('key lost') as string,
        }),
      ]) as object,
    },
  ]);
  const refused = { error: { code: 'key-lost' } };
  const known = await grantbook('projections', 'rebuild', 'lists');
  expect([known.exitCode, known.json]).toMatchObject([1, refused]);
  // OP-01: nor is anything compared with it, or put in its place.
  for (const command of ['verify', 'swap']) {
    const ran = await grantbook('projections', command, 'lists');
    expect([command, ran.exitCode, ran.json]).toMatchObject([command, 1, refused]);
  }
  await withPool((pool) => pool.query('delete from lost_keys'));
  const cameUpon = await grantbook('projections', 'rebuild', 'lists');
  expect([cameUpon.exitCode, cameUpon.json]).toMatchObject([1, refused]);
});

test('TR-03: a person whose key is lost can be erased, and reads erased; the keys of the others come back', async () => {
  expectTrouble(/^error: key lost: the key of a person is missing/);
  const { commands, personal, store } = running.core;
  const read = async () =>
    (await store.read(accountStream(cast.userId))).events.map(({ event }) => event.data)[0];
  expect(await read()).toMatchObject({ name: 'key lost' });
  expect(valueOf(await commands.eraseUser(cast.userId))).toMatchObject({ addressKnown: false });
  expect(await read()).toMatchObject({ name: 'erased', email: 'erased' });
  await withPool((pool) =>
    pool.query(
      `insert into subject_keys select * from jsonb_populate_recordset(null::subject_keys, $1) on conflict do nothing`,
      [JSON.stringify(subjectKeys.map((row) => toJson(row)))],
    ),
  );
  expect(await personal.keys.countLost()).toBe(0);
  expect(await read()).toMatchObject({ name: 'erased' });
  const rebuilt = await grantbook('projections', 'rebuild', 'lists');
  expect(rebuilt.exitCode).toBe(0);
  const names = await withPool((pool) =>
    pool.query<{ name: string }>(`select item ->> 'name' as name from public_lists_v2.profiles order by 1`),
  );
  expect(names.rows.map(({ name }) => name)).toEqual(['Ada', 'Eve']);
});

const grantbook = (...args: readonly string[]) =>
  runBeside({ ...settingsFor({ databaseUrl: database.url, eventStoreUrl: node.url }) }, [...args, '--json']);

const toJson = (row: SubjectKey): SubjectKey =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value,
    ]),
  );
