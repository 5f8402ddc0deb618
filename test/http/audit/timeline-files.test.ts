import { expect, test } from 'vitest';
import type { TimelineEntry } from '../../../src/audit/timeline/timeline.ts';
import { sentenceOf } from '../../../src/domain/kernel/sentence.ts';
import { cell, fileOf } from '../../../src/http/audit/timeline-files.ts';

const entryOf = (what: string): TimelineEntry => ({
  position: { commit: 1n, prepare: 1n },
  act: [],
  time: '2026-05-03T16:20:05.000Z',
  stream: 'grant-G',
  revision: 3n,
  eventId: 'E',
  type: 'GrantRevoked',
  actor: { kind: 'user', id: 'U', name: '@SUM(1)' },
  tokenId: null,
  words: sentenceOf(what),
  why: null,
  source: 'unreadable',
  because: null,
  concerns: [
    { kind: 'grant', id: 'G', name: null },
    { kind: 'addon', id: 'A', name: '=A' },
  ],
  told: [],
});

test('PG-09: a name cannot become a formula of a spreadsheet, nor another cell or row', () => {
  const csv = fileOf('csv', [entryOf('=HYPERLINK("x")\r\n,ended'), entryOf('Ünï ended.')]);
  expect(csv.split('\r\n"2026')).toHaveLength(3);
  expect(csv).toContain(`,"'=HYPERLINK(""x"")\r\n,ended","","'@SUM(1)","U","",`);
  expect(csv).toMatch(/^\uFEFF"time","what",/);
  expect(csv).toContain(',"Ünï ended.",');
});

test('PG-09: each line of NDJSON is what the API answers', () => {
  const [line = ''] = fileOf('ndjson', [entryOf('It ended.')]).split('\n');
  expect(JSON.parse(line)).toMatchObject({
    what: 'It ended.',
    position: '1/1',
    concerns: [{ id: 'G' }, { id: 'A' }],
  });
});

test('FX-93: a cell that begins with a sign of a formula, in any of its widths, is led by an apostrophe', () => {
  for (const sign of [
    '=',
    '+',
    '-',
    '@',
    '\t',
    '\r',
    '\n',
    '＝',
    '＋',
    '－',
    '＠',
    '﹢',
    '﹣',
    '﹦',
    '﹫',
    '−',
  ])
    for (const before of ['', ' ', '\u200B'])
      expect([sign, cell(`${before}${sign}1`)]).toEqual([sign, `"'${before}${sign}1"`]);
  for (const harmless of ['Harbour', '1+1', 'a=b', '']) expect(cell(harmless)).toBe(`"${harmless}"`);
});
