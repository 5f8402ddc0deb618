import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { profileStream } from '../../src/domain/streams.ts';
import { startService } from '../../src/process/service.ts';
import { collect } from '../../packages/eventstore-node/test/contract/steps.ts';
import {
  debianPostgres,
  startDebianPostgres,
  type DebianPostgres,
} from '../support/servers/debian-postgres.ts';
import { startTestNode } from '../support/servers/node.ts';
import { listWith } from '../support/scenes/http-scene.ts';
import { valueOf } from '../support/outcomes.ts';
import { testBrowser, type TestBrowser } from '../support/scenes/pages.ts';
import { runBeside } from '../cli/live-service.ts';
import { commandsOf, makeOperator } from '../support/documents/runbook.ts';
import { startRestorableLog, type RestorableLog } from './restorable-log.ts';
import { makeAddon, makeCast, run, settingsFor, type Cast, type Running } from './running.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';
import { watchedLogger } from '../support/trouble/watched-lines.ts';

/**
 * What the how-tos about backups, upgrades and copies of the log say is done as they say it: their commands, against a server and programs of Debian's `postgresql`, with
 * persons who were made, changed and erased in between.
 */
const restoring = 'how-to/back-up-and-restore';
const password = 'correct horse battery staple';

describe.skipIf(debianPostgres === null)("drills of the runbook (need Debian's postgresql)", () => {
  let server: DebianPostgres;
  let log: RestorableLog;
  let folder: string;
  let stores: { readonly databaseUrl: string; readonly eventStoreUrl: string };
  let running: Running | null = null;
  let operator: Awaited<ReturnType<typeof makeOperator>>;

  beforeAll(async () => void (server = await startDebianPostgres()));
  afterAll(() => server.close());

  beforeEach(async () => {
    [log, folder] = [await startRestorableLog(), await mkdtemp(join(tmpdir(), 'grantbook-drill-'))];
    stores = { databaseUrl: server.url('grantbook'), eventStoreUrl: log.url };
    operator = await makeOperator(folder, { ...server.env, ...settingsFor(stores), DATA_DIR: folder });
    const [tables = ''] = commandsOf(restoring, 'Postgres is lost entirely');
    await play(`dropdb --if-exists grantbook\ndropdb --if-exists grantbook_2\n${tables}`);
    await start();
  });
  afterEach(async () => {
    await stop();
    await log.close();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (): Promise<Running> => {
    running = await run(stores);
    await running.workers.ready;
    await running.settled();
    return running;
  };
  const stop = async (): Promise<void> => {
    await running?.stop();
    running = null;
  };
  const instance = (): Running => running ?? expect.fail('no instance runs');

  /** A block of the runbook; it has to succeed. */
  const play = async (block: string): Promise<string> => {
    const { exitCode, output } = await operator(block);
    expect([block, exitCode, output]).toEqual([block, 0, output]);
    return output;
  };
  /** A command that no block of the runbook gives, in this process. */
  const grantbook = async (...args: readonly string[]) => {
    const env = { ...settingsFor(stores), DATA_DIR: folder };
    const { exitCode, json } = await runBeside(env, [...args, '--json']);
    return { exitCode, json };
  };

  const makeAccount = async ({ organizationId }: Cast, name: string): Promise<string> => {
    const account = { email: `${name}@example.com`, name, password, administratorOf: [organizationId] };
    return valueOf(await instance().core.commands.createUser({ ...account, roles: ['operator'] })).userId;
  };
  const recordProfile = async ({ organizationId }: Cast, id: string, name: string, version = 1) => {
    const record = { name, email: `${name}@example.com`, userId: null, phone: null, locale: null };
    return instance().core.commands.recordProfile({
      organizationId,
      id,
      version,
      record: { ...record, externalId: null },
    });
  };
  const signedIn = async (name: string, cookies?: Map<string, string>): Promise<TestBrowser> => {
    const browser = testBrowser(instance().app, {}, cookies);
    await browser.signIn(`${name}@example.com`, password);
    return browser;
  };
  const page = async (url: string, cookies: Map<string, string>): Promise<string> =>
    (await testBrowser(instance().app, {}, cookies).get(url)).body;
  /** Or what was answered instead. */
  const names = async (token: string): Promise<readonly string[]> => {
    const answer = await listWith({ app: instance().app } as never, '/profiles', token);
    const { items } = answer.json<{ items?: readonly { readonly name: string }[] }>();
    return items?.map(({ name }) => name).sort() ?? [answer.body];
  };
  const reads = async (token: string, expected: readonly string[]) => {
    await expect.poll(() => names(token)).toEqual(expected);
  };
  const readiness = async () =>
    (await instance().app.inject({ url: '/health/ready' })).json<{
      status: string;
      checks: Record<string, string>;
    }>();
  const lostInMetrics = async () =>
    /^grantbook_personal_keys_lost (\d+)/m.exec((await instance().app.inject({ url: '/metrics' })).body)?.[1];
  const doctorOnKeys = async () => {
    const { exitCode, json } = await grantbook('doctor');
    const findings = json['findings'] as readonly { check: string; state: string; found: string }[];
    return { exitCode, ...findings.find(({ check }) => check === 'keys of persons') };
  };
  const nothingIsLost = async () => {
    expect((await readiness()).checks['personalKeys']).toBe('ok');
    expect(await lostInMetrics()).toBe('0');
    expect(await doctorOnKeys()).toMatchObject({ state: 'ok', found: 'no lost keys found' });
    expect(instance().lines.filter(({ msg }) => msg.startsWith('key lost'))).toEqual([]);
  };

  /** Somebody of before the backup, somebody who is erased after it, and an add-on that reads them. */
  const before = async () => {
    const cast = await makeCast(instance().core);
    await makeAccount(cast, 'Ada');
    await recordProfile(cast, 'P3', 'Zoe');
    const addon = await makeAddon(instance().core, cast);
    await instance().settled();
    return { cast, addon };
  };
  /** People made in between. */
  const between = async ({ cast }: { readonly cast: Cast }) => {
    await makeAccount(cast, 'Eve');
    await recordProfile(cast, 'P4', 'Mia');
    valueOf(await instance().core.commands.eraseProfile({ organizationId: cast.organizationId, id: 'P3' }));
    await instance().settled();
  };

  test('OP-01: Postgres is restored from an older backup, with the keys first: nobody who was made in between is lost', async () => {
    const scene = await before();
    const backups = commandsOf(restoring, 'Backups');
    const [save = '', restore = '', ...more] = commandsOf(
      restoring,
      'Postgres is restored from an older backup',
    );
    expect(more).toEqual([]);
    for (const backup of backups) await play(backup);
    await between(scene);
    await play(save); // as each hour
    await stop();
    await play(save);
    expect(await play(restore)).toMatch(/Restored 2 keys; \d+ already existed, 0 belong to erased persons/);
    await start();

    await reads(scene.addon.token, ['Ada', 'Ada', 'Mia', 'erased']);
    expect(await page('/account', (await signedIn('Eve')).cookies)).toContain('eve@example.com');
    expect(await page('/account', (await signedIn('Ada')).cookies)).toContain('ada@example.com');
    await nothingIsLost();
  });

  test('FX-102: people, grants and a rotation made while the backup runs are whole after a restore of everything', async () => {
    const scene = await before();
    const [database = '', keys = '', ...others] = commandsOf(restoring, 'Backups');
    expect(others).toEqual([]);
    await play(database);
    await between(scene);
    const [addon, rotated] = [
      await makeAddon(instance().core, scene.cast),
      await instance().core.signingKeys.rotate('RS256'),
    ];
    expect(rotated.ok).toBe(true);
    await instance().settled();
    const copy = await log.backUp();
    await makeAccount(scene.cast, 'Flo');
    await instance().settled();
    const kids = await publishedKids();
    await play(keys);
    await stop();

    await log.restore(copy);
    const [, restore = ''] = commandsOf(restoring, 'Postgres is restored from an older backup');
    await play(restore);
    await start();
    for (const { token } of [scene.addon, addon]) await reads(token, ['Ada', 'Ada', 'Mia', 'erased']);
    expect(await page('/account', (await signedIn('Eve')).cookies)).toContain('eve@example.com');
    expect(await publishedKids()).toEqual(kids);
    await nothingIsLost();
    expect((await doctorOnKeys()).exitCode).toBe(0);
  });

  test('OP-01: Postgres is lost entirely: nobody is lost, and what was signed before is still believed', async () => {
    const scene = await before();
    const kids = await publishedKids();
    for (const backup of commandsOf(restoring, 'Backups')) await play(backup);
    valueOf(await instance().core.commands.deactivateAddon(await makeAddon(instance().core, scene.cast)));
    await instance().settled();
    await stop();
    await play('dropdb grantbook');
    const [tables = '', keys = '', ...more] = commandsOf(restoring, 'Postgres is lost entirely');
    expect(more).toEqual([]);
    await play(tables);
    await play(keys);
    await start();

    await reads(scene.addon.token, ['Ada', 'Ada', 'Zoe']);
    expect(await page('/account', (await signedIn('Ada')).cookies)).toContain('ada@example.com');
    expect(await publishedKids()).toEqual(kids);
    await nothingIsLost();
  });

  test('the event store was restored from an older backup: what was closed since is found, and is closed again', async () => {
    const scene = await before();
    const [suspended, goesOn] = [
      await makeAddon(instance().core, scene.cast),
      await makeAddon(instance().core, scene.cast),
    ];
    await instance().settled();
    await stop();
    const backup = await log.backUp();
    const { commands } = (await start()).core;
    valueOf(await commands.deactivateAddon(scene.addon));
    valueOf(await commands.suspendAddon(suspended.addonId));
    await makeAccount(scene.cast, 'Eve');
    await instance().settled();
    await stop();
    await log.restore(backup);
    const config = readConfig({ ...settingsFor(stores), PORT: '0' });
    const silent = watchedLogger();
    await expect(startService(config, silent, new AbortController().signal)).rejects.toThrow(
      'does not have the log that the database of DATABASE_URL was built from',
    );

    const older = 'The event store was restored from an older backup';
    const [rename = '', ...moreSql] = commandsOf(restoring, older, 'sql');
    const [renew = '', compare = '', ...more] = commandsOf(restoring, older);
    expect([moreSql, more]).toEqual([[], []]);
    await play(`psql -d postgres -c '${rename}'`);
    expect(await play(renew)).toMatch(/Restored \d+ keys/);
    await start();
    await nothingIsLost();
    expect(await names(scene.addon.token), 'it is open again until somebody closes it').toHaveLength(3);
    const activation = `activation:${scene.cast.organizationId}.${scene.addon.addonId}`;
    const differing = (await play(compare)).trim().split('\n');
    expect(differing.map((row) => row.replace(/\|\d+$/, ''))).toEqual([
      `${activation}|f`,
      `addon:${suspended.addonId}|f`,
      expect.stringMatching(/^grant:\w{26}\|f$/), // of the activation: it ends with it
    ]);
    const { organizationId } = scene.cast;
    await play(
      `grantbook activation deactivate --organization ${organizationId} --addon ${scene.addon.addonId}`,
    );
    await play(`grantbook addon suspend ${suspended.addonId}`);
    await instance().settled();
    expect(await play(`${compare}true`)).toBe('');
    const statuses = [scene.addon, suspended, goesOn].map(({ token }) => instance().list(token));
    expect(await Promise.all(statuses)).toEqual([401, 401, 200]);
  });

  const publishedKids = async (): Promise<readonly string[]> =>
    (await instance().app.inject({ url: '/oauth/jwks' }))
      .json<{ keys: readonly { readonly kid: string }[] }>()
      .keys.map(({ kid }) => kid);

  test('OP-01: without the keys first it says key lost everywhere, refuses what would keep it, and the keys still come back', async () => {
    expectTrouble(/^error: key lost/);
    const scene = await before();
    for (const backup of commandsOf(restoring, 'Backups')) await play(backup);
    await between(scene);
    const { cookies } = await signedIn('Eve');
    const [save = '', restore = ''] = commandsOf(restoring, 'Postgres is restored from an older backup');
    await play(save);
    await stop();
    await play(restore.replace(/^grantbook keys restore.*\n/m, ''));
    await start();

    await reads(scene.addon.token, ['Ada', 'Ada', 'erased', 'key lost']);
    expect(await page('/account', cookies)).toContain('key lost');
    expect(await page('/operator', cookies)).toContain('the keys of 2 persons are missing');
    const seen = await page('/operator/status', cookies);
    expect(seen).toContain('key lost: the keys of 2 persons are missing');
    for (const said of [seen, await page('/account', cookies)]) expect(said).not.toContain('erased');
    // TR-03: readiness, metrics, alarms, doctor and rebuilds are in lost-database.system.test.ts.
    expect(await lostInMetrics()).toBe('2');
    // The hourly backup keeps the file that has them.
    expect(await grantbook('keys', 'backup', '-o', join(folder, 'persons-keys.ndjson'))).toMatchObject({
      exitCode: 1,
      json: { error: { code: 'keys-missing' } },
    });

    // Written to meanwhile, Mia gets a key: what the one before sealed is read as well once that is back.
    valueOf(await recordProfile(scene.cast, 'P4', 'Mia Maria', 2));
    await instance().settled();
    const [putBack = '', again = '', ...more] = commandsOf(restoring, 'Keys of persons are lost');
    expect(more).toEqual([]);
    await stop();
    expect(await play(putBack)).toMatch(
      /Restored 2 keys[^]*1 of them belong to persons who have a newer key/,
    );
    await start();
    await nothingIsLost();
    await play(again);
    await reads(scene.addon.token, ['Ada', 'Ada', 'Mia Maria', 'erased']);
    expect(await page('/account', (await signedIn('Eve')).cookies)).toContain('eve@example.com');
    const mia = await instance().core.store.read(profileStream(scene.cast.organizationId, 'P4'));
    expect(mia.events.map(({ event }) => (event.data as { name?: string }).name)).toEqual([
      'Mia',
      'Mia Maria',
    ]);
    await play(save); // it holds every key again
  });

  test('OP-01: the way back, over an event of a newer version: the keys of those who were made since come first', async () => {
    expectTrouble(/^error: lists cannot apply ProfileRecorded .* its key is parked/);
    const scene = await before();
    const [backup = '', migrate = '', ...moreUpgrades] = commandsOf('how-to/run-two-versions', 'Upgrades');
    const [save = '', back = '', retry = '', ...more] = commandsOf('how-to/run-two-versions', 'The way back');
    expect([moreUpgrades, more]).toEqual([[], []]);
    await play(backup);
    await stop();
    await play(migrate);
    await start();
    await between(scene);
    await forgeNewer(scene.cast, 'P1');
    await stop();
    await play(save);
    expect(await play(back)).toMatch(/Restored 2 keys/);
    await start();

    // What the newer version wrote of P1 waits; everybody else is as they were.
    await reads(scene.addon.token, ['Ada', 'Ada', 'Mia', 'erased']);
    expect(await page('/account', (await signedIn('Eve')).cookies)).toContain('eve@example.com');
    await nothingIsLost();
    expect(await readiness()).toMatchObject({
      status: 'degraded',
      checks: { parked: expect.stringContaining('grantbook parked list') as string },
    });
    const parked = JSON.stringify((await grantbook('parked', 'list')).json);
    expect(parked).toContain(profileStream(scene.cast.organizationId, 'P1'));
    for (const statement of commandsOf('how-to/run-two-versions', 'The way back', 'sql'))
      await play(`psql "$DATABASE_URL" --set ON_ERROR_STOP=1 <<'END'\n${statement}END`);
    // The version of then can read it no better.
    expect((await operator(retry)).exitCode).toBe(1);
  });

  test('a log is copied to another event store: the copy has a database of its own, and tokens go on', async () => {
    const scene = await before();
    const node = await startTestNode();
    onTestFinished(() => node.close());
    const copying = 'how-to/copy-the-log';
    const [heads = '', keys = '', ...moreBefore] = commandsOf(copying, 'Before the copy');
    const [copy = '', ...moreCopies] = commandsOf(copying, 'The copy');
    const [renew = '', head = '', ...moreAfter] = commandsOf(copying, 'After the copy');
    expect([moreBefore, moreCopies, moreAfter]).toEqual([[], [], []]);
    await play(`NEW_EVENTSTORE_URL='${node.url}' NEW_DATABASE_URL='${server.url('grantbook_2')}'`);
    await play(heads);
    await play(keys);
    await stop();
    await play(copy);
    await play(renew);
    stores = { databaseUrl: server.url('grantbook_2'), eventStoreUrl: node.url };
    await start();
    await reads(scene.addon.token, ['Ada', 'Ada', 'Zoe']);
    await nothingIsLost();
    await play(head);
    await stop();
  });

  /** What a newer version of the program would store. */
  const forgeNewer = async ({ organizationId }: Cast, id: string): Promise<void> => {
    const foreign = EventStoreDBClient.connectionString(log.url);
    const stream = profileStream(organizationId, id);
    try {
      const [sealed] = await collect(foreign.readStream(stream, { maxCount: 1 }));
      const { personal } = (sealed?.event?.data ?? {}) as { readonly personal?: object };
      const data = { organizationId, id, version: 2, fields: {}, personal: { ...personal } };
      const newer = jsonEvent({ type: 'ProfileRecorded', data, metadata: { version: 99 } });
      await foreign.appendToStream(stream, newer);
    } finally {
      await foreign.dispose();
    }
  };
});
