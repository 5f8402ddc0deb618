import { randomUUID } from 'node:crypto';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { migrationsDir } from '../../src/process/package-root.ts';
import { organizationExists } from '../../src/commands/organizations/find-named-organization.ts';
import type * as resources from '../../src/domain/records/record-resources.ts';
import type { AllowedScope } from '../../src/domain/access/scope.ts';
import { startIngest } from '../../src/kafka/ingest/ingest.ts';
import { defaultTopicNames } from '../../src/kafka/topics.ts';
import { migrate } from '../../src/projections/database/migrate.ts';
import { runBeside } from '../cli/live-service.ts';
import { run, settingsFor, type Running } from '../operations/running.ts';
import { migratedDatabase, type TestDatabase } from '../support/servers/databases.ts';
import { challenge, verifier } from '../support/scenes/grants.ts';
import { memoryKafka } from '../support/memory/memory-kafka.ts';
import type { Locker } from './fourth/locker.ts';
import { startTestNode, type TestNode } from '../support/servers/node.ts';
import { valueOf } from '../support/outcomes.ts';
import { quietLogger } from '../support/quiet-logger.ts';

// A kind of records is its description, its type and its table: `fourth/` has all three, and nothing in `src` names them.

vi.mock('../../src/domain/records/record-resources.ts', async (load) => {
  const { recordResources } = await load<typeof resources>();
  const { locker } = await import('./fourth/locker.ts');
  return { recordResources: [...recordResources, locker] };
});

const folder = mkdtempSync(join(tmpdir(), 'grantbook-fourth-'));
const scopes = ['profiles:read', 'lockers:read'] as unknown as readonly AllowedScope[];
const redirectUri = 'https://addon.example/cb';
const count = 600;
const times = (of: number) => Array.from({ length: of }, (_, i) => i);

let node: TestNode;
let database: TestDatabase;
let running: Running;
let env: NodeJS.ProcessEnv;
const cast = { organizationId: '', userId: '', addonId: '', ofOrganization: '', ofUser: '' };

const cli = async (args: readonly string[], stdin = '') => {
  const { exitCode, json, stderr } = await runBeside(env, [...args, '--json'], stdin);
  expect([exitCode, stderr.match(/error.*/)?.[0]]).toEqual([0, undefined]);
  return json;
};
const importLines = (resource: string, lines: readonly object[]) =>
  cli(
    ['import', resource, '-', '--organization', cast.organizationId],
    lines.map((line) => JSON.stringify(line)).join('\n'),
  );

const lockerLine = (index: number, version = 1) => ({
  id: `l${String(index).padStart(4, '0')}`,
  version,
  held_by: index % 2 === 0 ? 'mine' : 'other',
  hall: 'north',
  label: `N ${index}`,
  taken_from: '2026-05-01T10:00:00+02:00',
  contents: index === 0 ? 'a red umbrella' : null,
});

const tokenFor = async (whose: 'organization' | 'user') => {
  const { commands } = running.core;
  const { organizationId, userId, addonId } = cast;
  const { epoch } = await commands.showActivation(organizationId, addonId);
  const subject =
    whose === 'user'
      ? (await commands.ownConsent({ userId, addonId })).subject
      : ({ kind: 'organization', organizationId, epoch } as const);
  await commands.approveScopes({ userId, addonId, subject, scopes });
  const issued = await commands.issueCode({
    addonId,
    userId,
    subject,
    scopes,
    redirectUri,
    nonce: null,
    resources: [],
    authTime: Date.now(),
    codeChallenge: challenge,
  });
  const { code } = valueOf(issued);
  const exchange = { addonId, code, redirectUri, codeVerifier: verifier, resources: null };
  return valueOf(await commands.exchangeCode(exchange)).accessToken;
};

type Item = { readonly id: string };
type Page = {
  readonly items: readonly Item[];
  readonly _pagination: { readonly total_items: number };
  readonly _links: readonly { readonly rel: string; readonly href: string }[];
};

/** One as the domain has it, which the events hold. */
const ofDomain: Locker = {
  heldBy: 'mine',
  hall: 'north',
  label: 'N 0',
  takenFrom: '2026-05-01T08:00:00Z',
  takenUntil: null,
  contents: 'a red umbrella',
};

const pageAt = async (url: string, token: string): Promise<Page> => {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await running.app.inject({
    method: 'GET',
    url: url.replace(/^https?:\/\/[^/]+/, ''),
    headers,
  });
  expect([url, answer.statusCode]).toEqual([url, 200]);
  return answer.json<Page>();
};

/** By links from one end to the other. */
const walk = async (first: string, rel: 'next' | 'prev', token: string): Promise<readonly Item[]> => {
  const seen: Item[] = [];
  for (let url: string | undefined = first; url !== undefined;) {
    const page: Page = await pageAt(url, token);
    seen.push(...(rel === 'next' ? page.items : page.items.toReversed()));
    url = page._links.find((link) => link.rel === rel)?.href;
  }
  return seen;
};

const idsOf = (items: readonly Item[]): readonly string[] => items.map(({ id }) => id);

beforeAll(async () => {
  [node, database] = await Promise.all([startTestNode(), migratedDatabase()]);
  const migrations = join(folder, 'migrations');
  cpSync(migrationsDir, migrations, { recursive: true });
  copyFileSync(join(import.meta.dirname, 'fourth/9999-lockers.sql'), join(migrations, '9999-lockers.sql'));
  await migrate(database.url, migrations);
  const stores = { databaseUrl: database.url, eventStoreUrl: node.url };
  env = { PATH: process.env['PATH'], DATA_DIR: folder, ...settingsFor(stores) };
  running = await run(stores);
  await running.workers.ready;
  const { commands } = running.core;
  cast.organizationId = valueOf(await commands.createOrganization({ name: 'Harbour House' })).organizationId;
  const bo = {
    email: `bo-${randomUUID()}@example.com`,
    password: 'correct horse battery staple',
    name: 'Bo',
    administratorOf: [cast.organizationId],
    roles: [],
  };
  cast.userId = valueOf(await commands.createUser(bo)).userId;
  const addon = {
    name: 'Locker Room',
    redirectUris: [redirectUri],
    configurationUrl: 'https://addon.example/',
    allowedScopes: scopes,
    confidential: false,
  };
  cast.addonId = valueOf(await commands.registerAddon(addon)).clientId;
  const { organizationId, addonId, userId } = cast;
  valueOf(await commands.activateAddon({ organizationId, addonId, by: userId, sessionId: null }));
  cast.ofOrganization = await tokenFor('organization');
  cast.ofUser = await tokenFor('user');
  await importLines('profiles', [
    { id: 'mine', version: 1, name: 'Bo', email: 'bo@example.com', user_id: userId },
    { id: 'other', version: 1, name: 'Cy', email: 'cy@example.com' },
  ]);
}, 120_000);
afterAll(async () => {
  await running.stop();
  await database.drop();
  await node.close();
  rmSync(folder, { recursive: true, force: true });
});

test('is imported by the command line, which says what is wrong with a line', async () => {
  const help = await runBeside(env, ['import', 'lockers', '--help']);
  expect(help.stdout).toContain(
    'Fields: id, version, held_by, hall (north, south), label, taken_from; optional taken_until, contents.',
  );
  const imported = await importLines(
    'lockers',
    times(count).map((index) => lockerLine(index)),
  );
  expect(imported).toMatchObject({ added: count, visible: true });
  const { events } = await running.core.store.read(`locker-${cast.organizationId}.l0000` as never);
  expect(events[0]?.event).toMatchObject({ type: 'LockerRecorded', data: { ...ofDomain, version: 1 } });
  const bad = { ...lockerLine(0, 2), hall: 'west', taken_until: '2026-01-01T00:00:00Z', key: 1 };
  const refused = await runBeside(
    env,
    ['import', 'lockers', '-', '--organization', cast.organizationId, '--json'],
    JSON.stringify(bad),
  );
  expect(refused.exitCode).toBe(1);
  expect(refused.stdout).toMatch(/one of north, south/);
});

test('comes by Kafka: recorded, changed, removed, or a dead letter', async () => {
  const kafka = memoryKafka();
  const topic = (defaultTopicNames.in as Readonly<Record<string, string>>)['lockers'] ?? '';
  expect(topic).toBe('host.lockers');
  const ingest = startIngest({
    client: kafka.client,
    topics: defaultTopicNames,
    group: 'grantbook',
    commands: running.core.commands,
    organizationExists: (id) => organizationExists(running.core.store, id),
    store: running.core.store,
    now: Date.now,
    logger: quietLogger() as never,
  });
  const send = (value: object | null, key: string | null = null, headers = {}) =>
    kafka.write({ topic, key, value: value && JSON.stringify(value), headers });
  const organization_id = cast.organizationId;
  send({ organization_id, ...lockerLine(count) });
  send({ organization_id, ...lockerLine(count, 2), label: 'N 1000' });
  send({ organization_id, ...lockerLine(count + 1) });
  send(null, `${organization_id}.${lockerLine(count + 1).id}`, { version: '2' });
  send({ organization_id, ...lockerLine(count + 2), hall: 'west' });
  await vi.waitFor(() => expect(kafka.lag('grantbook', [topic])).toBe(0n), { timeout: 20_000 });
  await ingest.stop();
  expect(ingest.status().messages.map(({ outcome, messages }) => [outcome, messages])).toEqual(
    expect.arrayContaining([
      ['added', 2],
      ['changed', 1],
      ['removed', 1],
      ['dead-lettered', 1],
    ]),
  );
  await running.settled();
});

test.each([
  { whose: 'an organization', token: () => cast.ofOrganization, step: 1 },
  { whose: 'a user', token: () => cast.ofUser, step: 2 },
])('is listed for $whose in every depth, by links both ways and by number', async ({ token, step }) => {
  const expected = times(count + 1).flatMap((index) => (index % step === 0 ? [lockerLine(index).id] : []));
  const items = await walk('/lockers?per_page=100', 'next', token());
  const all = idsOf(items); // in the order of the log: an import sends many lines at a time
  expect(all.toSorted()).toEqual(expected);
  const last = Math.ceil(all.length / 7);
  expect(idsOf(await walk(`/lockers?per_page=7&page=${last}`, 'prev', token()))).toEqual(all.toReversed());
  for (const page of [1, 2, 40, last]) {
    const asked = await pageAt(`/lockers?per_page=7&page=${page}`, token());
    expect(asked._pagination.total_items).toBe(all.length);
    expect(idsOf(asked.items)).toEqual(all.slice((page - 1) * 7, page * 7));
  }
  expect(items.find(({ id }) => id === 'l0000')).toEqual({
    ...lockerLine(0),
    taken_from: '2026-05-01T08:00:00Z',
    taken_until: null,
    created_at: expect.any(String) as string,
    updated_at: expect.any(String) as string,
  });
});

test('is in both documents, and its scope where scopes are listed', async () => {
  const answer = async (url: string) => (await running.app.inject({ method: 'GET', url })).json<never>();
  expect(await answer('/openapi.json')).toMatchObject({
    paths: { '/lockers': { get: { operationId: 'list-lockers' } } },
    components: {
      schemas: {
        Locker: { properties: { held_by: { description: 'Whose things are in it.' } } },
        LockerPage: {},
      },
    },
  });
  expect(await answer('/asyncapi.json')).toMatchObject({
    channels: { lockers: { address: 'host.lockers' } },
    components: { schemas: { locker: { properties: { hall: { enum: ['north', 'south'] } } } } },
  });
  expect(await answer('/.well-known/oauth-authorization-server')).toMatchObject({
    scopes_supported: expect.arrayContaining(['lockers:read']) as readonly string[],
  });
});

test('is seen in exposure and timeline, and what was read of it is counted', async () => {
  const { organizationId, addonId } = cast;
  const now = Date.now();
  const window = ['--from', new Date(now - 3_600_000).toISOString(), '--to', new Date(now).toISOString()];
  const of = ['--organization', organizationId];
  const exposed = await cli(['audit', 'exposure', ...of, '--addon', addonId, ...window]);
  const intervals = exposed['intervals'] as readonly {
    readonly scope: string;
    readonly subject: { readonly kind: string };
    readonly records: number;
  }[];
  const seen = intervals
    .filter(({ scope }) => scope === 'lockers:read')
    .map(({ subject, records }) => [subject.kind, records] as const);
  expect(Object.fromEntries(seen)).toEqual({ organization: count + 2, user: count / 2 + 1 });
  const told = await cli(['audit', 'timeline', ...of, '--records', '--type', 'LockerRemoved']);
  expect(JSON.stringify(told)).toContain('The host platform removed the locker l0601 with version 2.');
});

test('is in the export of its organization, which proves itself', async () => {
  const file = join(folder, 'export.ndjson');
  await cli(['audit', 'export', '--organization', cast.organizationId, '-o', file]);
  const lines = readFileSync(file, 'utf8').split('\n');
  expect(lines.filter((line) => line.includes('LockerRecorded'))).toHaveLength(count + 3);
  expect(await cli(['audit', 'verify', file])).toMatchObject({ ok: true });
});

test('forgets whose it was when its profile is erased', async () => {
  expect(
    await importLines('profiles', [{ id: 'mine', version: 2, name: 'Bo', email: 'bo@example.com' }]),
  ).toBeTruthy();
  valueOf(await running.core.commands.eraseProfile({ organizationId: cast.organizationId, id: 'mine' }));
  await running.settled();
  const items = await walk('/lockers?per_page=100', 'next', cast.ofOrganization);
  expect(items.find(({ id }) => id === 'l0000')).toMatchObject({ label: 'N 0', contents: 'erased' });
});

test('is built again next to the live list, found equal, and put in its place', async () => {
  const before = await walk('/lockers?per_page=100', 'next', cast.ofOrganization);
  expect(await cli(['projections', 'rebuild', 'lists'])).toMatchObject({ version: 2 });
  const verified = await cli(['projections', 'verify', 'lists']);
  expect(verified).toMatchObject({ equal: true, tables: { lockers: count + 1 } });
  await cli(['projections', 'swap', 'lists', '--version', '2']);
  expect(await walk('/lockers?per_page=100', 'next', cast.ofOrganization)).toEqual(before);
});
