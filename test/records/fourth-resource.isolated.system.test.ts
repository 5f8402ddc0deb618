import { copyFileSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { migrationsDir } from '../../src/process/package-root.ts';
import type * as resources from '../../src/domain/records/record-resources.ts';
import type { AllowedScope } from '../../src/domain/access/scope.ts';
import { defaultTopicNames } from '../../src/kafka/topics.ts';
import { migrate } from '../../src/projections/database/migrate.ts';
import { runBeside } from '../cli/live-service.ts';
import { memoryKafka } from '../support/memory/memory-kafka.ts';
import type { Locker } from './fourth/locker.ts';
import { valueOf } from '../support/outcomes.ts';
import { recordsScene, type Item } from './scene.ts';

// A kind of records is its description, its type and its table: `fourth/` has all three, and nothing in `src` names them.

vi.mock('../../src/domain/records/record-resources.ts', async (load) => {
  const { recordResources } = await load<typeof resources>();
  const { locker } = await import('./fourth/locker.ts');
  return { recordResources: [...recordResources, locker] };
});

const scopes = ['profiles:read', 'lockers:read'] as unknown as readonly AllowedScope[];
const count = 600;
const times = (of: number) => Array.from({ length: of }, (_, i) => i);

let scene: Awaited<ReturnType<typeof recordsScene>>;
let cast: Awaited<ReturnType<typeof scene.newOrganization>>;

/** Until the lists show it: a command on a busy machine does not wait for them to the end. */
const importLines = async (resource: string, lines: readonly object[]) => {
  const imported = await scene.cli(
    ['import', resource, '-', '--organization', cast.organizationId],
    lines.map((line) => JSON.stringify(line)).join('\n'),
  );
  await scene.running.settled();
  return imported;
};

const lockerLine = (index: number, version = 1) => ({
  id: `l${String(index).padStart(4, '0')}`,
  version,
  held_by: index % 2 === 0 ? 'mine' : 'other',
  hall: 'north',
  label: `N ${index}`,
  taken_from: '2026-05-01T10:00:00+02:00',
  contents: index === 0 ? 'a red umbrella' : null,
});

/** One as the domain has it, which the events hold. */
const ofDomain: Locker = {
  heldBy: 'mine',
  hall: 'north',
  label: 'N 0',
  takenFrom: '2026-05-01T08:00:00Z',
  takenUntil: null,
  contents: 'a red umbrella',
};

const idsOf = (items: readonly Item[]): readonly string[] => items.map(({ id }) => id);

beforeAll(async () => {
  scene = await recordsScene(scopes, async (databaseUrl, folder) => {
    const migrations = join(folder, 'migrations');
    cpSync(migrationsDir, migrations, { recursive: true });
    copyFileSync(join(import.meta.dirname, 'fourth/9999-lockers.sql'), join(migrations, '9999-lockers.sql'));
    await migrate(databaseUrl, migrations);
  });
  cast = await scene.newOrganization();
  await importLines('profiles', [
    { id: 'mine', version: 1, name: 'Bo', email: 'bo@example.com', user_id: cast.userId },
    { id: 'other', version: 1, name: 'Cy', email: 'cy@example.com' },
  ]);
});
afterAll(() => scene.close());

test('is imported by the command line, which says what is wrong with a line', async () => {
  const help = await runBeside(scene.env, ['import', 'lockers', '--help']);
  expect(help.stdout).toContain(
    'Fields: id, version, held_by, hall (north, south), label, taken_from; optional taken_until, contents.',
  );
  const imported = await importLines(
    'lockers',
    times(count).map((index) => lockerLine(index)),
  );
  expect(imported).toMatchObject({ added: count });
  const { events } = await scene.running.core.store.read(`locker-${cast.organizationId}.l0000` as never);
  expect(events[0]?.event).toMatchObject({ type: 'LockerRecorded', data: { ...ofDomain, version: 1 } });
  const bad = { ...lockerLine(0, 2), hall: 'west', taken_until: '2026-01-01T00:00:00Z', key: 1 };
  const refused = await runBeside(
    scene.env,
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
  const send = (value: object | null, key: string | null = null, headers = {}) =>
    kafka.write({ topic, key, value: value && JSON.stringify(value), headers });
  const organization_id = cast.organizationId;
  send({ organization_id, ...lockerLine(count) });
  send({ organization_id, ...lockerLine(count, 2), label: 'N 1000' });
  send({ organization_id, ...lockerLine(count + 1) });
  send(null, `${organization_id}.${lockerLine(count + 1).id}`, { version: '2' });
  send({ organization_id, ...lockerLine(count + 2), hall: 'west' });
  const ingest = await scene.ingest(kafka, topic);
  expect(ingest.status().messages.map(({ outcome, messages }) => [outcome, messages])).toEqual(
    expect.arrayContaining([
      ['added', 2],
      ['changed', 1],
      ['removed', 1],
      ['dead-lettered', 1],
    ]),
  );
  await scene.running.settled();
});

test.each([
  { whose: 'an organization', token: () => cast.ofOrganization, step: 1 },
  { whose: 'a user', token: () => cast.ofUser, step: 2 },
])('is listed for $whose in every depth, by links both ways and by number', async ({ token, step }) => {
  const expected = times(count + 1).flatMap((index) => (index % step === 0 ? [lockerLine(index).id] : []));
  const items = await scene.walk('/lockers?per_page=100', 'next', token());
  const all = idsOf(items); // in the order of the log: an import sends many lines at a time
  expect(all.toSorted()).toEqual(expected);
  const last = Math.ceil(all.length / 7);
  expect(idsOf(await scene.walk(`/lockers?per_page=7&page=${last}`, 'prev', token()))).toEqual(
    all.toReversed(),
  );
  for (const page of [1, 2, 40, last]) {
    const asked = await scene.pageAt(`/lockers?per_page=7&page=${page}`, token());
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
  const answer = async (url: string) =>
    (await scene.running.app.inject({ method: 'GET', url })).json<never>();
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
  const { organizationId } = cast;
  const { addonId } = scene;
  const now = Date.now();
  const window = ['--from', new Date(now - 3_600_000).toISOString(), '--to', new Date(now).toISOString()];
  const of = ['--organization', organizationId];
  const exposed = await scene.cli(['audit', 'exposure', ...of, '--addon', addonId, ...window]);
  const intervals = exposed['intervals'] as readonly {
    readonly scope: string;
    readonly subject: { readonly kind: string };
    readonly records: number;
  }[];
  const seen = intervals
    .filter(({ scope }) => scope === 'lockers:read')
    .map(({ subject, records }) => [subject.kind, records] as const);
  expect(Object.fromEntries(seen)).toEqual({ organization: count + 2, user: count / 2 + 1 });
  const told = await scene.cli(['audit', 'timeline', ...of, '--records', '--type', 'LockerRemoved']);
  expect(JSON.stringify(told)).toContain('The host platform removed the locker l0601 with version 2.');
});

test('is in the export of its organization, which proves itself', async () => {
  const file = join(scene.folder, 'export.ndjson');
  await scene.cli(['audit', 'export', '--organization', cast.organizationId, '-o', file]);
  const lines = readFileSync(file, 'utf8').split('\n');
  expect(lines.filter((line) => line.includes('LockerRecorded'))).toHaveLength(count + 3);
  expect(await scene.cli(['audit', 'verify', file])).toMatchObject({ ok: true });
});

test('forgets whose it was when its profile is erased', async () => {
  expect(
    await importLines('profiles', [{ id: 'mine', version: 2, name: 'Bo', email: 'bo@example.com' }]),
  ).toBeTruthy();
  valueOf(
    await scene.running.core.commands.eraseProfile({ organizationId: cast.organizationId, id: 'mine' }),
  );
  await scene.running.settled();
  const items = await scene.walk('/lockers?per_page=100', 'next', cast.ofOrganization);
  expect(items.find(({ id }) => id === 'l0000')).toMatchObject({ label: 'N 0', contents: 'erased' });
});

test('is built again next to the live list, found equal, and put in its place', async () => {
  const before = await scene.walk('/lockers?per_page=100', 'next', cast.ofOrganization);
  expect(await scene.cli(['projections', 'rebuild', 'lists'])).toMatchObject({ version: 2 });
  const verified = await scene.cli(['projections', 'verify', 'lists']);
  expect(verified).toMatchObject({ equal: true, tables: { lockers: count + 1 } });
  await scene.cli(['projections', 'swap', 'lists', '--version', '2']);
  expect(await scene.walk('/lockers?per_page=100', 'next', cast.ofOrganization)).toEqual(before);
});
