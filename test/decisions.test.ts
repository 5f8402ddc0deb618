import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Each decision is one short page, and the index has all of them. */

const folder = join(import.meta.dirname, '../docs/adr');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const pages = readdirSync(folder).filter((name) => name !== 'README.md');
const numberOf = (page: string): string => String(Number(page.slice(0, 4)));
const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => /\w/.test(word)).length;

const rows = [...read('README.md').matchAll(/^\| \[(\d+)\]\((\S+)\) +\| \S/gm)];

test('the index has every decision, by its number', () => {
  expect(rows.map(([, , page]) => page)).toEqual(pages.toSorted());
  expect(rows.map(([, number]) => number)).toEqual(pages.toSorted().map(numberOf));
  for (const page of pages) expect(read(page)).toMatch(new RegExp(`^# ${numberOf(page)}\\. `));
});

test('no decision has more than 600 words', () => {
  expect(pages.filter((page) => wordsIn(read(page)) > 600)).toEqual([]);
});
