import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { profileStream } from '../../src/domain/streams.ts';
import { defaultTopicNames } from '../../src/kafka/topics.ts';
import { runBeside } from '../cli/live-service.ts';
import { memoryKafka } from '../support/memory/memory-kafka.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { anyId, someIds } from '../support/record-ids.ts';
import { recordsScene, type Item } from './scene.ts';

let scene: Awaited<ReturnType<typeof recordsScene>>;
beforeAll(async () => {
  scene = await recordsScene(['profiles:read', 'reservations:read', 'access-rights:read']);
});
afterAll(() => scene.close());

/** A whole list by its links, with a space before each id: a key of an object may be `__proto__` then. */
const listed = async (list: string, token: string): Promise<Readonly<Record<string, Item>>> => {
  const items = await scene.walk(`/${list}?per_page=7`, 'next', token);
  expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
  return Object.fromEntries(items.map((item) => [` ${item.id}`, item]));
};

type Line = { readonly id: string; readonly version: number } & Readonly<Record<string, unknown>>;
const linesOf = (lines: readonly Line[]) => lines.map((line) => JSON.stringify(line)).join('\n');

const imports = async (resource: string, organizationId: string, lines: readonly Line[]) =>
  scene.cli(['import', resource, '-', '--organization', organizationId], linesOf(lines));

/** Sends by Kafka, a removal without other fields as a tombstone, and waits until all is recorded. */
const sends = async (topic: string, organizationId: string, lines: readonly Line[]) => {
  const kafka = memoryKafka();
  for (const { id, version, ...rest } of lines)
    if (rest['deleted'] === true)
      kafka.write({
        topic,
        key: `${organizationId}.${id}`,
        value: null,
        headers: { version: String(version) },
      });
    else {
      const value = JSON.stringify({ organization_id: organizationId, id, version, ...rest });
      kafka.write({ topic, key: id, value, headers: {} });
    }
  await scene.ingest(kafka, topic);
  expect(kafka.messages(defaultTopicNames.deadLetter)).toEqual([]);
};

const byBoth = async (list: 'profiles' | 'reservations', organizationId: string, lines: readonly Line[]) => {
  const half = Math.ceil(lines.length / 2);
  await imports(list, organizationId, lines.slice(0, half));
  await sends(defaultTopicNames.in[list], organizationId, lines.slice(half));
};

const profileOf = (id: string, userId: string): Line => ({
  id,
  version: 1,
  name: `Name of ${id}`,
  email: 'a@example.com',
  user_id: userId,
});
const reservationOf = (id: string): Line => ({
  id,
  version: 1,
  profile_id: id,
  resource: 'Berth 7',
  starts_at: '2026-05-01T08:00:00Z',
  ends_at: '2026-05-02T08:00:00Z',
  status: 'confirmed',
  title: `Title of ${id}`,
});

const each = <T>(ids: readonly string[], of: (id: string) => T) =>
  Object.fromEntries(ids.map((id) => [` ${id}`, of(id)]));

/** Records all, removes the reservations of some, and erases the profiles of others: each of these concerns its own records alone. */
const lifeOf = async (ids: readonly string[]) => {
  const { organizationId, userId, ofOrganization, ofUser } = await scene.newOrganization();
  await byBoth(
    'profiles',
    organizationId,
    ids.map((id) => profileOf(id, userId)),
  );
  await byBoth('reservations', organizationId, ids.map(reservationOf).toReversed());
  await scene.running.settled();
  for (const token of [ofOrganization, ofUser]) {
    expect(await listed('profiles', token)).toMatchObject(each(ids, (id) => ({ id, name: `Name of ${id}` })));
    const reservations = await listed('reservations', token);
    expect(Object.keys(reservations).toSorted()).toEqual(ids.map((id) => ` ${id}`).toSorted());
    expect(reservations).toMatchObject(each(ids, (id) => ({ profile_id: id, title: `Title of ${id}` })));
  }
  for (const id of ids) {
    const { events } = await scene.running.core.store.read(profileStream(organizationId, id));
    expect(events.map(({ event }) => event)).toMatchObject([{ type: 'ProfileRecorded', data: { id } }]);
  }

  const removed = ids.filter((_id, index) => index % 3 === 0);
  const erased = ids.filter((_id, index) => index % 3 === 1);
  await byBoth(
    'reservations',
    organizationId,
    removed.map((id) => ({ id, version: 2, deleted: true })),
  );
  for (const id of erased)
    expect(
      await scene.cli(['profile', 'erase', '--organization', organizationId, '--yes', '--', id]),
    ).toMatchObject({ id, erased: true, repeated: false });
  await scene.running.settled();
  const name = (id: string) => (erased.includes(id) ? 'erased' : `Name of ${id}`);
  const title = (id: string) => (erased.includes(id) ? 'erased' : `Title of ${id}`);
  const left = ids.filter((id) => !removed.includes(id));
  for (const token of [ofOrganization, ofUser]) {
    expect(await listed('profiles', token)).toMatchObject(each(ids, (id) => ({ id, name: name(id) })));
    const reservations = await listed('reservations', token);
    expect(Object.keys(reservations).toSorted()).toEqual(left.map((id) => ` ${id}`).toSorted());
    expect(reservations).toMatchObject(each(left, (id) => ({ title: title(id) })));
  }
  return { organizationId, removed, erased };
};

test('AP-04: any ids are imported, ingested, listed, removed and erased, each apart from all others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(anyId, { minLength: 3, maxLength: 12 }), async (ids) => {
      const { removed, erased } = await lifeOf(ids);
      expect(removed.length + erased.length).toBeGreaterThanOrEqual(2);
    }),
    propertyRuns(4),
  );
});

test('AP-04: ids that look like something else are records as all others, for auditors too', async () => {
  const { organizationId, removed, erased } = await lifeOf(someIds);
  const { addonId, folder } = scene;
  const of = ['--organization', organizationId];
  const told = JSON.stringify(
    await scene.cli([
      'audit',
      'timeline',
      ...of,
      '--records',
      '--type',
      'ReservationRemoved',
      '--limit',
      '200',
    ]),
  );
  for (const id of removed) expect(told).toContain(`removed the reservation ${id} with version 2.`);

  for (const id of [...erased.slice(0, 3), 'ada@example.com', 'x'.repeat(128)]) {
    const replayed = await scene.cli(['audit', 'replay', profileStream(organizationId, id)]);
    expect(replayed['steps']).toMatchObject(
      [{ type: 'ProfileRecorded', data: { id } }, {}].slice(0, erased.includes(id) ? 2 : 1),
    );
  }

  const now = Date.now();
  const window = ['--from', new Date(now - 3_600_000).toISOString(), '--to', new Date(now).toISOString()];
  const exposed = await scene.cli(['audit', 'exposure', ...of, '--addon', addonId, ...window]);
  const intervals = exposed['intervals'] as readonly { readonly scope: string; readonly records: number }[];
  const seen = intervals.flatMap(({ scope, records }) =>
    scope.endsWith('s:read') ? [[scope, records]] : [],
  );
  expect(seen).toEqual(
    expect.arrayContaining([
      ['profiles:read', someIds.length],
      ['reservations:read', someIds.length],
    ]),
  );

  const file = join(folder, 'export.ndjson');
  await scene.cli(['audit', 'export', ...of, '-o', file]);
  const exported = readFileSync(file, 'utf8').split('\n');
  expect(exported.filter((line) => line.includes('ProfileRecorded'))).toHaveLength(someIds.length);
  expect(await scene.cli(['audit', 'verify', file])).toMatchObject({ ok: true });

  await scene.cli(['projections', 'rebuild', 'lists']);
  expect(await scene.cli(['projections', 'verify', 'lists'])).toMatchObject({ equal: true });
});

test('AP-04: what no record can have as its id is refused with what is allowed, and an erasure says it too', async () => {
  const { env } = scene;
  const { organizationId } = await scene.newOrganization();
  const refused = await runBeside(
    env,
    ['import', 'reservations', '-', '--organization', organizationId, '--json'],
    linesOf([{ ...reservationOf('a b'), profile_id: 'a%2Fb' }]),
  );
  const message = 'must be a string of 1 to 128 characters out of A–Z a–z 0–9 . _ ~ : @ + / = -';
  expect(refused.json).toMatchObject({
    refused: 1,
    errors: [
      { line: 1, field: 'id', message },
      { line: 1, field: 'profile_id', message },
    ],
  });
  const help = await runBeside(env, ['import', 'profiles', '--help']);
  expect(help.stdout).toContain('An id is 1 to 128 characters out of A–Z a–z 0–9 . _ ~ : @ + / = -');
  const erased = await runBeside(env, ['profile', 'erase', 'a b', '--organization', organizationId, '--yes']);
  expect([erased.exitCode, erased.stderr]).toEqual([
    1,
    expect.stringContaining('an id is 1 to 128 characters out of A–Z a–z 0–9 . _ ~ : @ + / = -'),
  ]);
});
