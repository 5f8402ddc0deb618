import { expect, test } from 'vitest';
import { byName } from '../../src/projections/kernel/names.ts';

const sorted = (...names: readonly string[]) =>
  byName(
    names.map((name, index) => ({ name, id: String(index) })),
    ({ id }) => id,
  ).map(({ name }) => name);

test('names are in the order in which people look for them: neither case nor accents come first', () => {
  expect(sorted('CRM', 'apple', 'Calendar', 'Éclair', 'Zebra', 'eagle', 'Ökonom')).toEqual([
    'apple',
    'Calendar',
    'CRM',
    'eagle',
    'Éclair',
    'Ökonom',
    'Zebra',
  ]);
  expect(sorted('Pier 10', 'Pier 9', 'Пирс', 'ميناء', 'Pier 9')).toEqual([
    'Pier 9',
    'Pier 9',
    'Pier 10',
    'Пирс',
    'ميناء',
  ]);
});

test('of the same name, the lower id comes first, whatever the order they came in', () => {
  const rows = ['b', 'c', 'a'].map((id) => ({ name: 'Quay', id }));
  expect(byName(rows, ({ id }) => id).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});
