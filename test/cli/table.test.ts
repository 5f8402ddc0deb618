import { expect, test } from 'vitest';
import { lines, table, textFor } from '../../src/cli/base/answer.ts';
import { listText } from '../../src/cli/base/list.ts';

const head = ['client_id', 'name', 'status'];
const rows = [
  ['01JD0000000000000000000001', 'Front desk', 'active'],
  ['01JD0000000000000000000002', 'Überblick', 'suspended'],
];

test('AP-09: a table has no lines between its rows, and columns as wide as their content', () => {
  expect(textFor(Infinity, table(head, rows)).split('\n')).toEqual([
    'client_id                   name        status',
    '01JD0000000000000000000001  Front desk  active',
    '01JD0000000000000000000002  Überblick   suspended',
  ]);
});

test.each([
  [48, ['status']],
  [40, ['status']],
  [30, ['name', 'status']],
  [10, ['name', 'status']],
])('AP-09: in a terminal of %i columns the last columns are left out, and named', (width, leftOut) => {
  const all = textFor(width, lines(table(head, rows), 'More: --after x')).split('\n');
  const named = all.indexOf(`Left out, as the terminal is narrow: ${leftOut.join(', ')} (--json has them).`);
  expect(named).toBe(3);
  expect(all[0]?.split(/ {2,}/)).toEqual(head.slice(0, head.length - leftOut.length));
  const widest = Math.max(...all.slice(0, 3).map((line) => line.length));
  expect(widest).toBeLessThanOrEqual(Math.max(width, 26)); // the first column stays
  expect(all.at(-1)).toBe('More: --after x');
});

test('AP-09: columns that were chosen are all shown, however narrow the terminal is', () => {
  expect(textFor(10, table(head, rows, null)).split('\n')).toHaveLength(3);
});

test('AP-09: a list has the columns that were chosen, in their order, and names above ids', () => {
  const [id = ''] = rows[0] ?? [];
  const list = {
    columns: ['client_id', 'last_error', 'retired'],
    items: [{ client_id: id, last_error: 'x'.repeat(80), retired: false }],
    names: { [id]: 'Front desk' },
    none: 'No add-ons match.',
    next: 'A',
    mostInCell: 10,
  };
  expect(textFor(10, listText(list, ['retired', 'last_error', 'client_id'])).split('\n')).toEqual([
    'retired  last error  client_id',
    'no       xxxxxxxxx…  Front desk',
    `                     ${id}`,
    'More: --after A',
  ]);
  expect(textFor(80, listText({ ...list, items: [], next: null }))).toBe('No add-ons match.');
});
