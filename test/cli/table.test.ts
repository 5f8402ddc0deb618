import { expect, test } from 'vitest';
import { lines, table, textFor } from '../../src/cli/base/answer.ts';

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
