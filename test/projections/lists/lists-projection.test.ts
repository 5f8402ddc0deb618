import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { testReadModels } from '../../support/log/read-models.ts';
import {
  accessRight,
  profile,
  profileRemoved,
  reservation,
  reservationRemoved,
  type Told,
} from '../follow/a-story.ts';
import { makeListsTables } from './lists-tables.ts';

const side = await testReadModels();
const tables = makeListsTables(side);
afterEach(() => tables.clear());
afterAll(() => side.close());

const many = (from: number, to: number): readonly Told[] =>
  Array.from({ length: to - from }, (_, i) => profile(`P${from + i}`));

/** Each story is told twice: in one batch, and an event at a time. */
const howItIsCut = [{ batchSize: 1000 }, { batchSize: 1 }];

describe.for(howItIsCut)('in batches of $batchSize', (cut) => {
  test('a record has the next ordinal of its list, keeps it when it changes, and begins anew when it comes again', async () => {
    await tables.given([profile('P1'), profile('P2'), profile('P1', 2), profileRemoved('P1')], cut);
    expect(await tables.placesIn('profiles')).toEqual(['P2@1 entered 20']);
    expect(await tables.lists()).toEqual(['profiles/: 1 of 2, 40']);
    await tables.given([profile('P1', 4), profile('P3')], cut);
    expect(await tables.placesIn('profiles')).toEqual([
      'P2@1 entered 20',
      'P1@2 entered 50',
      'P3@3 entered 60',
    ]);
  });

  test('a record that was removed and comes again has the time and the revision of its new beginning', async () => {
    await tables.given([profile('P1'), profile('P1', 2), profileRemoved('P1', 3), profile('P1', 4)], cut);
    const { rows } = await side.pool.query(
      `select revision, created_at, item ->> 'updatedAt' as updated_at, item ->> 'name' as name from profiles`,
    );
    const [created_at, updated_at] = ['2026-01-01T00:00:04.000Z', '2026-01-01T00:00:04.000Z'];
    expect(rows).toEqual([{ revision: '3', created_at, updated_at, name: 'Name P1 v4' }]);
  });

  test('a removal of what was never there changes nothing, a list that lost all its records keeps its version', async () => {
    await tables.given(
      [profileRemoved('P9'), profile('P1'), profileRemoved('P1'), profileRemoved('P1', 3)],
      cut,
    );
    expect(await tables.placesIn('profiles')).toEqual([]);
    expect(await tables.lists()).toEqual(['profiles/: 0 of 1, 30']);
  });

  test('LI-09: a reservation is in the list of the user of its profile, whether the profile came before or after', async () => {
    await tables.given([reservation('R1', 'P1'), profile('P1', 1, 'U1'), reservation('R2', 'P1')], cut);
    expect(await tables.placesIn('reservations', 'U1')).toEqual(['R1@0 entered 20', 'R2@1 entered 30']);
    expect(await tables.lists()).toEqual([
      'profiles/: 1 of 1, 20',
      'profiles/U1: 1 of 1, 20',
      'reservations/: 2 of 2, 30',
      'reservations/U1: 2 of 2, 30',
    ]);
  });

  test('a profile that passes to another user takes its records along, in the order of the organization', async () => {
    await tables.given(
      [
        profile('P1', 1, 'U1'),
        reservation('R1', 'P1'),
        reservation('R2', 'P2'),
        profile('P2', 1, 'U2'),
        reservation('R3', 'P1'),
        accessRight('X1', 'P1'),
        profile('P1', 2, 'U2'),
      ],
      cut,
    );
    expect(await tables.placesIn('reservations')).toEqual([
      'R1@0 entered 20',
      'R2@1 entered 30',
      'R3@2 entered 50',
    ]);
    expect(await tables.placesIn('reservations', 'U1')).toEqual([]);
    expect(await tables.placesIn('reservations', 'U2')).toEqual([
      'R2@0 entered 40',
      'R1@1 entered 70',
      'R3@2 entered 70',
    ]);
    expect(await tables.placesIn('profiles', 'U2')).toEqual(['P2@0 entered 40', 'P1@1 entered 70']);
    expect(await tables.lists()).toEqual([
      'access_rights/: 1 of 1, 60', // what the organization's lists show of them is the same
      'access_rights/U1: 0 of 1, 70',
      'access_rights/U2: 1 of 1, 70',
      'profiles/: 2 of 2, 70',
      'profiles/U1: 0 of 1, 70',
      'profiles/U2: 2 of 2, 70',
      'reservations/: 3 of 3, 50',
      'reservations/U1: 0 of 2, 70',
      'reservations/U2: 3 of 3, 70',
    ]);
  });

  test('a profile that goes away, or is nobody’s, takes its records out of the list of its user only', async () => {
    await tables.given(
      [profile('P1', 1, 'U1'), profile('P2', 1, 'U1'), reservation('R1', 'P1'), reservation('R2', 'P2')],
      cut,
    );
    await tables.given([profileRemoved('P1'), profile('P2', 2, null)], cut);
    expect(await tables.placesIn('reservations')).toEqual(['R1@0 entered 30', 'R2@1 entered 40']);
    expect(await tables.placesIn('reservations', 'U1')).toEqual([]);
    expect(await tables.lists()).toEqual([
      'profiles/: 1 of 2, 60',
      'profiles/U1: 0 of 2, 60',
      'reservations/: 2 of 2, 40',
      'reservations/U1: 0 of 2, 60',
    ]);
  });

  test('a record that names another profile moves when that is another user’s, and keeps its place when it is not', async () => {
    const profiles = [profile('P1', 1, 'U1'), profile('P2', 1, 'U1'), profile('P3', 1, 'U3')];
    await tables.given([...profiles, reservation('R1', 'P1'), reservation('R2', 'P1')], cut);
    await tables.given([reservation('R1', 'P2', 2)], cut);
    expect(await tables.placesIn('reservations', 'U1')).toEqual(['R1@0 entered 40', 'R2@1 entered 50']);
    // R1 is no longer P2's when P2 becomes another's.
    await tables.given([reservation('R1', 'P3', 3), profile('P2', 2, 'U2'), profile('P1', 2, 'U3')], cut);
    expect(await tables.placesIn('reservations', 'U1')).toEqual([]);
    expect(await tables.placesIn('reservations', 'U2')).toEqual([]);
    expect(await tables.placesIn('reservations', 'U3')).toEqual(['R1@0 entered 70', 'R2@1 entered 90']);
  });

  test('an update is a change of every list that shows the record, and of no other', async () => {
    const profiles = [profile('P1', 1, 'U1'), profile('P2', 1, 'U2')];
    await tables.given([...profiles, reservation('R1', 'P1'), reservation('R2', 'P2')], cut);
    await tables.given([reservation('R1', 'P1', 2), profile('P2', 2, 'U2')], cut);
    expect(await tables.lists()).toEqual([
      'profiles/: 2 of 2, 60',
      'profiles/U1: 1 of 1, 10',
      'profiles/U2: 1 of 1, 60',
      'reservations/: 2 of 2, 50',
      'reservations/U1: 1 of 1, 50',
      'reservations/U2: 1 of 1, 40',
    ]);
  });

  test('blocks of both levels, with the first block empty when the second begins', async () => {
    const small = { ...cut, fanOut: 2 };
    await tables.given([profile('P0'), profile('P1'), profileRemoved('P0'), profileRemoved('P1')], small);
    await tables.given([profile('P2')], small);
    expect(await tables.blocks()).toEqual(['0/1: 1']);
    await tables.given([profile('P3'), profileRemoved('P2'), profileRemoved('P3')], small);
    expect(await tables.blocks()).toEqual([]);
    await tables.given([profile('P4'), profile('P5'), profile('P6')], small);
    expect(await tables.blocks()).toEqual(['0/2: 2', '0/3: 1', '1/1: 3']);
  });
});

test('a list has no blocks up to 256 ordinals; the next one counts what is there, and empty blocks are no rows', async () => {
  await tables.given(many(0, 256));
  await tables.given([profileRemoved('P3')]);
  expect(await tables.blocks()).toEqual([]);
  await tables.given([profile('P256')]);
  expect(await tables.blocks()).toEqual(['0/0: 255', '0/1: 1']);
  await tables.given([profileRemoved('P256'), profileRemoved('P4')]);
  expect(await tables.blocks()).toEqual(['0/0: 254']);
  await tables.given([profile('P257'), profileRemoved('P257'), profile('P258')]);
  expect(await tables.blocks()).toEqual(['0/0: 254', '0/1: 1']);
});

test.for([1, 3])(
  'a profile with more records than may be moved at once, %i, ends in the same tables, in a batch with others',
  async (mostMoves) => {
    const before = [
      ...[1, 2, 3, 4, 5, 6, 7].map((n) => reservation(`R${n}`, n % 3 === 0 ? 'P2' : 'P1')),
      ...[1, 2, 3].map((n) => accessRight(`X${n}`, 'P1')),
    ];
    const transfers = [
      profile('P1', 1, 'U1'),
      reservation('R8', 'P1'),
      profile('P1', 2, 'U2'),
      reservationRemoved('R2'),
      profile('P2', 1, 'U2'),
      profileRemoved('P1', 3),
      profile('P1', 4, 'U1'),
    ];
    await tables.given(before);
    await tables.given(transfers);
    const together = await side.dump();
    expect(together['lists']).toContainEqual(
      expect.objectContaining({ list: 'reservations', user_id: 'U1', total: '5', next_ordinal: '11' }),
    );
    await tables.clear();
    await tables.given(before);
    await tables.given(transfers, { mostMoves });
    expect(await side.dump()).toEqual(together);
  },
);

test('any text that a record may have is stored as it is', async () => {
  const odd = `"quoted" \\ {braces}, NULL, \u0000 \u2028 \ud800 'single' $1`;
  const told = profile('P1', 1, 'null');
  await tables.given([{ ...told, event: { ...told.event, data: { ...told.event.data, name: odd } } }]);
  const { rows } = await side.pool.query<{ item: { name: string } }>('select item, user_id from profiles');
  expect(rows).toMatchObject([{ item: { name: odd }, user_id: 'null' }]);
});

test.for([
  { odd: '', is: 'empty' },
  { odd: 'U\u0000', is: 'with a NUL' },
  { odd: 'U\ud800', is: 'with half a surrogate pair' },
  { odd: 'U 1', is: 'with a space' },
  { odd: 'U'.repeat(65), is: 'too long' },
])(
  'LI-08: an id that is none, for it is $is, is nobody’s: it stops nothing, and is not the organization’s',
  async ({ odd }) => {
    await tables.given([profile('P1', 1, odd), reservation('R1', odd), accessRight('A1', 'P1')]);
    await tables.given([profile('P2', 1, odd), accessRight('A2', odd), profile('P1', 2, odd)]);
    expect(await tables.lists()).toEqual([
      'access_rights/: 2 of 2, 50',
      'profiles/: 2 of 2, 60',
      'reservations/: 1 of 1, 20',
    ]);
  },
);
