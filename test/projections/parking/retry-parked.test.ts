import { Client } from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeSkipParkedEvent, readSkippedEvents } from '../../../src/commands/log/skip-parked-event.ts';
import { activationSubject, type Guarded } from '../../../src/domain/fence/fence.ts';
import { lists } from '../../../src/projections/lists/write/lists.ts';
import type { Projection, Tx } from '../../../src/projections/follow/projection.ts';
import type { Projector } from '../../../src/projections/follow/projector.ts';
import { readModelProjections } from '../../../src/projections/read-model-projections.ts';
import { retryKey, type Retried } from '../../../src/projections/parking/retry-parked.ts';
import { runGrantbook } from '../../cli/run-grantbook.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { testReadModels } from '../../support/log/read-models.ts';
import { startTestProjector } from '../../support/log/test-projector.ts';
import { profile, profileRemoved, reservation, type Told, tellStore } from '../follow/a-story.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

expectTrouble(/its key is parked/);

/** Keys that are parked in the lists, retried and skipped, while a projector continues. */

let store: ReturnType<typeof memoryStore>;
let poison: Set<string>;
let running: Projector[];

const side = await testReadModels();
beforeEach(async () => {
  store = memoryStore();
  poison = new Set();
  running = [];
  await side.fence.write([{ subject: activationSubject('O1', 'A1'), revision: 1n, epoch: 1, open: true }]);
});
afterEach(async () => {
  await Promise.all(running.map((projector) => projector.stop()));
  await side.clear();
});
afterAll(() => side.close());

const tell = async (...story: readonly Told[]) => {
  await tellStore(store, ...story);
  await shown();
};
const shown = async () => {
  if (running.length === 0) return;
  const head = await store.head();
  await expect.poll(() => side.progress.checkpoint(), { interval: 5 }).toEqual(head);
};

/** The lists as an earlier release has them, which cannot take these records. */
const broken: Projection = {
  ...lists,
  begin: () => {
    const batch = lists.begin();
    return {
      ...batch,
      apply: (event) => {
        if (poison.has(`${event.stream}@${event.revision}`)) throw new Error('broken');
        batch.apply(event);
      },
    };
  },
};
const start = async () => {
  const projections = readModelProjections.map((one) => (one.name === 'lists' ? broken : one));
  const projector = startTestProjector({
    databaseUrl: side.database.url,
    log: store,
    projections,
    skipped: readSkippedEvents(store),
  });
  running.push(projector);
  await projector.caughtUp;
};

const keyOf = (stream: string) => ({ checkpoint: 'read-models', projection: 'lists', stream });
const retry = async (
  stream: string,
  projection: Projection = lists,
  around: (client: Client) => Tx = (client) => client,
): Promise<Retried> => {
  const client = new Client({ connectionString: side.database.url });
  await client.connect();
  try {
    const needs = { tx: around(client), projection, log: store, skipped: readSkippedEvents(store) };
    return await retryKey(needs, keyOf(stream));
  } finally {
    await client.end();
  }
};
const skip = (eventId: string, key: string) =>
  makeSkipParkedEvent({ store, now: () => 1 })({ projection: 'lists', key, eventId });

const parked = async () =>
  (
    await side.pool.query<{ event: string }>(
      `select stream || '@' || revision as event from parked_events order by stream, revision`,
    )
  ).rows.map(({ event }) => event);
const profiles = async () =>
  (
    await side.pool.query<{ shown: string }>(
      `select id || ' v' || (item ->> 'version') || ' at ' || ordinal as shown from profiles order by ordinal`,
    )
  ).rows.map(({ shown }) => shown);

const grant = { grantId: 'G1', addonId: 'A1', userId: 'U1', rotation: 0 } as const;
const organization: Guarded = { ...grant, subject: { kind: 'organization', organizationId: 'O1', epoch: 1 } };
const user = (userId: string): Guarded => ({ ...grant, subject: { kind: 'user', userId, epoch: 0 } });
const page = async (guarded: Guarded, list: 'profiles' | 'reservations' = 'profiles') => {
  const read = await side.readModels[list].page({ guarded, perPage: 10, place: { by: 'page', page: 1 } });
  if (read.refused !== null || read.unchanged) throw new Error('a page was asked for');
  return read;
};

describe('retry', () => {
  test('applies the events of the key in their order, and a projector that runs goes on with it', async () => {
    poison.add('profile-O1.P1@0');
    await start();
    await tell(profile('P1'), profile('P2'), profile('P1', 2), profile('P3'));
    expect(await parked()).toEqual(['profile-O1.P1@0', 'profile-O1.P1@1']);
    expect(await retry('profile-O1.P1')).toEqual({ applied: 2, leftOut: 0, stillAt: null });
    expect(await parked()).toEqual([]);
    await tell(profile('P1', 3), profile('P4'));
    expect(await parked()).toEqual([]);
    // It came late, and so stands where it came.
    expect(await profiles()).toEqual(['P2 v1 at 0', 'P3 v1 at 1', 'P1 v3 at 2', 'P4 v1 at 3']);
  });

  test('up to the event that fails again: what is ahead of it stays applied, and the reason is the new one', async () => {
    poison.add('profile-O1.P1@0').add('profile-O1.P1@1');
    await start();
    await tell(profile('P1'), profile('P1', 2), profile('P1', 3));
    poison.delete('profile-O1.P1@0');
    const { applied, stillAt } = await retry('profile-O1.P1', broken);
    expect(applied).toBe(1);
    expect(stillAt).toMatchObject({ revision: 1n, error: expect.stringContaining('Error at') as string });
    expect(await parked()).toEqual(['profile-O1.P1@1', 'profile-O1.P1@2']);
    expect(await profiles()).toEqual(['P1 v1 at 0']);
    await tell(profile('P1', 4));
    expect(await parked()).toHaveLength(3);
  });

  test('killed before or after any of its statements, the next one ends in the same tables', async () => {
    poison.add('profile-O1.P1@0');
    const story = [profile('P1', 1, 'U1'), reservation('R1', 'P1'), profile('P2'), profile('P1', 2, 'U1')];
    const run = async (stop: { statement: number; when: 'before' | 'after' } | null) => {
      store = memoryStore();
      await side.clear();
      await tell(...story);
      await start();
      let statements = 0;
      const around = (client: Client): Tx => ({
        query: (async (...args: Parameters<Client['query']>) => {
          const dies = stop?.statement === statements++;
          if (dies && stop?.when === 'before') await client.end();
          const result: unknown = await (client.query(...args) as unknown as Promise<unknown>);
          if (dies) await client.end();
          return result;
        }) as unknown as Tx['query'],
      });
      const first = retry('profile-O1.P1', lists, around);
      await (stop === null ? first : first.catch(() => undefined));
      expect(await retry('profile-O1.P1')).toMatchObject({ stillAt: null });
      await tell(profile('P1', 3, 'U1'));
      await Promise.all(running.splice(0).map((projector) => projector.stop()));
      const { list_corrections: _, ...tables } = await side.dump();
      return { statements, tables: withoutTimes(tables) };
    };
    const whole = await run(null);
    for (let statement = 0; statement < whole.statements; statement += 2)
      for (const when of ['before', 'after'] as const)
        expect((await run({ statement, when })).tables, `${when} ${statement}`).toEqual(whole.tables);
  });

  test('a walk that has begun ends where the list ended then, and the tag of the page is another', async () => {
    poison.add('profile-O1.P1@0');
    await start();
    await tell(profile('P1'), profile('P2'), profile('P3'));
    const before = await page(organization);
    expect(before.bound).toBe(3n);
    await retry('profile-O1.P1');
    const after = await page(organization);
    expect(after.items.map(({ id }) => id)).toEqual(['P2', 'P3', 'P1']);
    expect(after.version).not.toBe(before.version);
    expect(after.bound).toBeGreaterThanOrEqual(before.bound);
    await tell(profile('P4'));
    const { last } = before;
    if (!last) throw new Error('no last');
    const place = { by: 'after', position: last, bound: before.bound } as const;
    const rest = await side.readModels.profiles.page({ guarded: organization, perPage: 10, place });
    expect(rest).toMatchObject({ items: [{ id: 'P1' }] });
  });
});

const withoutTimes = (tables: Readonly<Record<string, readonly object[]>>) =>
  JSON.parse(
    JSON.stringify(tables, (key, value: unknown) =>
      ['parked_at', 'created_at', 'createdAt', 'updatedAt', 'at'].includes(key) ? null : value,
    ),
  ) as unknown;

describe('skip', () => {
  test('leaves the event out, here and wherever the lists are built from the log, and goes on with the key', async () => {
    poison.add('profile-O1.P1@1');
    await start();
    await tell(profile('P1'), profile('P1', 2), profile('P1', 3), profile('P2'));
    const { events } = await store.read('profile-O1.P1');
    await skip(events[1]?.id ?? '', 'profile-O1.P1');
    await skip(events[1]?.id ?? '', 'profile-O1.P1');
    expect((await store.read('projection-lists')).events).toHaveLength(1);
    expect(await retry('profile-O1.P1', broken)).toEqual({ applied: 1, leftOut: 1, stillAt: null });
    expect(await profiles()).toEqual(['P1 v3 at 0', 'P2 v1 at 1']);
    await Promise.all(running.splice(0).map((projector) => projector.stop()));
    await side.clear();
    await start();
    expect(await parked()).toEqual([]);
    expect(await profiles()).toEqual(['P1 v3 at 0', 'P2 v1 at 1']);
  });
});

describe('LI-09: a list whose changes wait says so', () => {
  const stale = async (guarded: Guarded) => [
    (await page(guarded)).stale,
    (await page(guarded, 'reservations')).stale,
  ];

  test('to the organization, and to the user whose it is or would be, until it is retried', async () => {
    await start();
    await tell(
      profile('P1', 1, 'U1'),
      profile('P2', 1, 'U2'),
      reservation('R1', 'P1'),
      profile('P9', 1, null, 'O2'),
    );
    expect(await stale(organization)).toEqual([false, false]);
    poison.add('reservation-O1.R1@1').add('profile-O1.P3@0');
    await tell(reservation('R1', 'P2', 2), profile('P3', 1, 'U3'));
    expect(await stale(organization)).toEqual([true, true]);
    expect(await stale(user('U1'))).toEqual([false, true]); // still shows it
    expect(await stale(user('U2'))).toEqual([false, true]); // does not show it yet
    expect(await stale(user('U3'))).toEqual([true, true]); // what hangs on the profile, too
    expect(await stale(user('U4'))).toEqual([false, false]);
    await retry('reservation-O1.R1');
    expect(await stale(organization)).toEqual([true, false]);
    await retry('profile-O1.P3');
    expect(await stale(organization)).toEqual([false, false]);
    expect(await stale(user('U3'))).toEqual([false, false]);
  });

  test('a list that never changed says so, too, and the parked keys of another organization do not', async () => {
    poison.add('profile-O2.P1@0');
    await start();
    await tell(profile('P1', 1, null, 'O2'));
    expect(await stale(organization)).toEqual([false, false]);
  });
});

describe('grantbook parked', () => {
  const run = (...args: string[]) =>
    runGrantbook(['parked', ...args, '--json'], {
      openService: () =>
        Promise.resolve({
          commands: { skipParkedEvent: makeSkipParkedEvent({ store, now: () => 1 }) },
          store,
          databaseUrl: side.database.url,
          reactions: {},
          close: () => Promise.resolve(),
        } as never),
    });

  test('list says what, why and what is stale; retry and skip let it go', async () => {
    poison.add('profile-O1.P1@0').add('profile-O1.P2@0');
    await start();
    await tell(profile('P1'), profile('P1', 2), profile('P2'), profileRemoved('P2'));
    const listed = await run('list');
    expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
    const { events } = await store.read('profile-O1.P1');
    expect(listed.json['keys']).toMatchObject([
      {
        projection: 'lists',
        stream: 'profile-O1.P1',
        event: { id: events[0]?.id, type: 'ProfileRecorded', revision: '0', position: '1/1' },
        error: expect.stringContaining('Error at') as string,
        events: 2,
        stale: { what: 'profiles', organization: 'O1', record: 'P1' },
      },
      { stream: 'profile-O1.P2' },
    ]);
    const waits = await run('skip', events[1]?.id ?? '');
    expect(waits).toMatchObject({ exitCode: 1, json: { error: { code: 'waits' } } });
    expect(waits.stdout).toContain(events[0]?.id);
    expect(await run('skip', events[0]?.id ?? '')).toMatchObject({
      exitCode: 0,
      json: { skipped: events[0]?.id, keys: [{ parked: false, applied: 1, left_out: 1 }] },
    });
    expect(await run('retry', '--all')).toMatchObject({
      exitCode: 0,
      json: { keys: [{ stream: 'profile-O1.P2', parked: false, applied: 2 }] },
    });
    expect((await run('list')).json).toEqual({ keys: [] });
    expect(await profiles()).toEqual(['P1 v2 at 0']);
  });

  test.each([
    { args: ['retry'], exitCode: 1, code: 'which' },
    { args: ['retry', 'profile-O1.P1', '--all'], exitCode: 1, code: 'which' },
    { args: ['retry', 'profile-O1.P1'], exitCode: 1, code: 'not-parked' },
    { args: ['retry', 'a b'], exitCode: 2, code: 'usage' },
    { args: ['retry', '--all', '--projection', 'Lists!'], exitCode: 2, code: 'usage' },
    { args: ['skip', 'P1'], exitCode: 2, code: 'usage' },
    { args: ['skip'], exitCode: 2, code: 'usage' },
    { args: ['skip', '7f9c24e8-3b12-4c61-9d5a-2f0e8b1c6a43'], exitCode: 1, code: 'not-parked' },
  ])('$args is refused with $code', async ({ args, exitCode, code }) => {
    const ran = await run(...args);
    expect(ran.exitCode).toBe(exitCode);
    expect(ran.json).toMatchObject({ error: { code } });
  });
});
