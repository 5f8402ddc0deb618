import { afterAll, afterEach, expect, test } from 'vitest';
import { testReadModels } from '../../support/log/read-models.ts';
import { accessRight, profile, profileRemoved, reservation, type Told } from '../follow/a-story.ts';
import { makeListsTables } from './lists-tables.ts';

const side = await testReadModels();
const tables = makeListsTables(side);
afterEach(() => tables.clear());
afterAll(() => side.close());

const many = (from: number, to: number): readonly Told[] =>
  Array.from({ length: to - from }, (_, i) => profile(`P${from + i}`));

test.for([{ batchSize: 1000 }, { batchSize: 1 }])(
  'a profile that passes to another user takes its records along, in the order of the organization ($batchSize at a time)',
  async (cut) => {
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
  },
);

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
