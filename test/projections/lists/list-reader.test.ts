import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activationSubject, type Guarded } from '../../../src/domain/fence/fence.ts';
import type { ListPlace, ListPosition } from '../../../src/projections/read-models.ts';
import { makeListReader } from '../../../src/projections/lists/read/list-reader.ts';
import { explain, sentBy } from '../../support/documents/explained.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { testReadModels, type TestReadModels } from '../../support/log/read-models.ts';
import { putSparseList } from './sparse-lists.ts';

let side: TestReadModels;
let entries: Readonly<Record<'organization' | 'user', readonly Entry[]>>;
beforeAll(async () => {
  side = await testReadModels();
  const lists = [
    { organizationId: 'O1', records: 2000, stride: 37, every: 1, entered: { from: 1000, step: 3 } },
    { organizationId: 'O2', records: 300, stride: 3, every: 2, entered: { from: 1, step: 40 } },
    { organizationId: 'O3', records: 0, stride: 1, every: 1, entered: { from: 1, step: 1 } },
    { organizationId: 'O4', records: 3, stride: 1, every: 1, entered: { from: 6000, step: 1 } },
    { organizationId: 'O5', records: 40, stride: 7000, every: 1, entered: { from: 500, step: 200 } },
    { organizationId: 'O6', records: 90, stride: 1, every: 1, entered: { from: 2, step: 60 } },
  ];
  for (const { every, ...list } of lists)
    await putSparseList(side.pool, { ...list, ofUser: { userId: 'U1', every } });
  await side.fence.write([
    { subject: activationSubject('O1', 'A1'), revision: 1n, epoch: 1, open: true },
    { subject: activationSubject('O5', 'A1'), revision: 1n, epoch: 1, open: false },
  ]);
  entries = {
    organization: await entriesOf("organization_id = 'O1'", 'ordinal, entered'),
    user: await entriesOf("user_id = 'U1' and organization_id <> 'O5'", 'user_ordinal, user_entered'),
  };
});
afterAll(() => side.close());

type Entry = ListPosition & { readonly id: string; readonly entered: bigint };

const entriesOf = async (where: string, columns: string): Promise<readonly Entry[]> => {
  const { rows } = await side.pool.query<string[]>({
    text: `select organization_id, id, ${columns} from reservations where ${where} order by 1, 3`,
    rowMode: 'array',
  });
  return rows.map(([organizationId = '', id = '', ordinal, entered]) => ({
    organizationId,
    id,
    ordinal: Number(ordinal),
    entered: BigInt(entered ?? ''),
  }));
};

const grant = { grantId: 'G1', addonId: 'A1', userId: 'U1', rotation: 0 } as const;
const guarded: Readonly<Record<'organization' | 'user', Guarded>> = {
  organization: { ...grant, subject: { kind: 'organization', organizationId: 'O1', epoch: 1 } },
  user: { ...grant, subject: { kind: 'user', userId: 'U1', epoch: 0 } },
};

const behind = (a: ListPosition, b: ListPosition): boolean =>
  a.organizationId === b.organizationId ? a.ordinal > b.ordinal : a.organizationId > b.organizationId;

/** What the contract says, over a plain array. */
const expected = (all: readonly Entry[], perPage: number, place: ListPlace) => {
  const newest = all.reduce((most, { entered }) => (entered > most ? entered : most), 0n);
  const bound = place.by === 'page' ? newest : place.bound;
  const { by } = place;
  const items =
    by === 'page'
      ? all.slice((place.page - 1) * perPage, place.page * perPage)
      : by === 'after'
        ? all.filter((entry) => behind(entry, place.position) && entry.entered <= bound).slice(0, perPage)
        : all.filter((entry) => behind(place.position, entry)).slice(-perPage);
  const [first, last] = [items.at(0), items.at(-1)];
  const positionOf = ({ organizationId, ordinal }: Entry) => ({ organizationId, ordinal });
  return {
    ids: items.map(({ id }) => id),
    totalItems: all.length,
    first: first ? positionOf(first) : null,
    last: last ? positionOf(last) : null,
    hasBefore: first !== undefined && all[0] !== first,
    hasAfter: last !== undefined && all.some((entry) => behind(entry, last) && entry.entered <= bound),
    bound,
    stale: false,
  };
};

const read = async (kind: 'organization' | 'user', perPage: number, place: ListPlace) => {
  const answer = await side.readModels.reservations.page({ guarded: guarded[kind], perPage, place });
  if (answer.refused !== null || answer.unchanged) throw new Error('no page was read');
  const { items, refused: _refused, unchanged: _unchanged, version: _version, sync: _sync, ...rest } = answer;
  return { ids: items.map(({ id }) => id), ...rest };
};

const organizationIds = fc.constantFrom('O0', 'O1', 'O2', 'O3', 'O4', 'O5', 'O6', 'O7');
const ordinals = fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 75_000 }));
const bounds = fc.oneof(fc.bigInt(0n, 20_000n), fc.constant(6001n));
const places = (organizations: fc.Arbitrary<string>): fc.Arbitrary<ListPlace> =>
  fc.oneof(
    fc.record({
      by: fc.constant('page' as const),
      page: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 2500 })),
    }),
    fc.record({
      by: fc.constantFrom('after' as const, 'before' as const),
      position: fc.record({ organizationId: organizations, ordinal: ordinals }),
      bound: bounds,
    }),
  );

describe('LI-04, LI-05: a page is what a plain array would give, by number and by position, at any of them', () => {
  test.each([
    ['organization', fc.constant('O1')],
    ['user', organizationIds],
  ] as const)('for the token of %s', async (kind, organizations) => {
    await fc.assert(
      fc.asyncProperty(
        places(organizations),
        fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 100 })),
        async (place, perPage) => {
          expect(await read(kind, perPage, place)).toEqual(expected(entries[kind], perPage, place));
        },
      ),
      propertyRuns(150),
    );
  });
});

test('however many organizations have changed since a walk began, a page of it reads one page, and one record of each that has none', async () => {
  const many = 40;
  const list = { records: 30, stride: 1, ofUser: { userId: 'U2', every: 1 }, entered: { from: 1, step: 1 } };
  for (let n = 10; n < 10 + many; n += 1)
    await putSparseList(side.pool, { ...list, organizationId: `Q${n}` });
  const client = new pg.Client({ connectionString: side.database.url });
  await client.connect();
  const rowsRead = async (bound: bigint) => {
    const place: ListPlace = { by: 'after', position: { organizationId: 'Q10', ordinal: 24 }, bound };
    const subject = { kind: 'user', userId: 'U2', epoch: 0 } as const;
    const request = { guarded: { ...grant, subject }, perPage: 10, place };
    const cost = await explain(
      client,
      await sentBy((reader) => makeListReader(reader, 'reservations').page(request)),
    );
    return cost.rows['reservations'];
  };
  const itemsAndEnds = 10 + 2;
  const asked = 2; // lists that the page reaches into
  expect(await rowsRead(29n)).toBeLessThanOrEqual(itemsAndEnds + asked + 5);
  expect(await rowsRead(0n)).toBe(many);
  await client.end();
});

describe('the version', () => {
  const version = async (kind: 'organization' | 'user', reader: 'profiles' | 'reservations') => {
    const request = { guarded: guarded[kind], perPage: 5, place: { by: 'page', page: 1 } } as const;
    const answer = await side.readModels[reader].page(request);
    if (answer.refused !== null) throw new Error(answer.refused);
    return answer.version;
  };

  test('is each list’s own, also where there is nothing, and tells no position of the log', async () => {
    const versions = [
      await version('organization', 'reservations'),
      await version('user', 'reservations'),
      await version('organization', 'profiles'),
      await version('user', 'profiles'),
    ];
    expect(new Set(versions).size).toBe(4);
    for (const each of versions) expect(each).toMatch(/^[0-9a-f]{32}$/);
  });

  test.each(['organization', 'user'] as const)(
    'whoever has the one of the %s gets no items, whatever the place, and whoever has another does',
    async (kind) => {
      const held = await version(kind, 'reservations');
      const position = { organizationId: 'O1', ordinal: 74 };
      const all: readonly ListPlace[] = [
        { by: 'page', page: 1 },
        { by: 'page', page: 40 },
        { by: 'after', position, bound: 5000n },
        { by: 'before', position, bound: 5000n },
      ];
      for (const place of all) {
        const request = { guarded: guarded[kind], perPage: 10, place };
        const { reservations } = side.readModels;
        const unchanged = { refused: null, unchanged: true, stale: false, version: held };
        expect(await reservations.page({ ...request, unless: ['other', held] })).toEqual(unchanged);
        expect(await reservations.page({ ...request, unless: ['other'] })).toMatchObject({
          version: held,
          unchanged: false,
        });
      }
    },
  );

  test('is another when an organization takes its records out of the user’s list, and that of before when they are back (DE-01)', async () => {
    const subject = activationSubject('O4', 'A1');
    const before = await version('user', 'reservations');
    await side.fence.write([{ subject, revision: 1n, epoch: 1, open: false }]);
    const without = await version('user', 'reservations');
    const { ids } = await read('user', 100, { by: 'page', page: 22 });
    expect(ids.some((id) => id.startsWith('O4'))).toBe(false);
    await side.fence.write([{ subject, revision: 2n, epoch: 2, open: true }]);
    expect(without).not.toBe(before);
    expect(await version('user', 'reservations')).toBe(before);
    expect((await read('user', 100, { by: 'page', page: 22 })).ids).toContain('O4_0');
  });

  test('a refused token learns nothing, whatever it says it has (RS-02)', async () => {
    const held = await version('organization', 'reservations');
    const dead = { ...guarded.organization, addonId: 'A2' };
    const place = { by: 'page', page: 1 } as const;
    const request = { guarded: dead, perPage: 5, place, unless: [held] };
    expect(await side.readModels.reservations.page(request)).toEqual({ refused: 'addon-deactivated' });
  });
});
