import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Each decision is one short page, and the index has all of them with a status. */

const folder = join(import.meta.dirname, '../docs/adr');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const pages = readdirSync(folder).filter((name) => name !== 'README.md');
const numberOf = (page: string): string => String(Number(page.slice(0, 4)));
const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => /\w/.test(word)).length;

const rows = [...read('README.md').matchAll(/^\| (?:\[(\d+)\]\((\S+)\)|(\d+)) +\| .*? \| (.*?) *\|$/gm)].map(
  ([, linked, page, unlinked, status = '']) => ({ number: linked ?? unlinked, page, status }),
);
const accepted = rows.flatMap(({ page }) => page ?? []);

test('the index has every decision, by its number', () => {
  expect(accepted).toEqual(pages.toSorted());
  const linked = rows.filter(({ page }) => page !== undefined);
  expect(linked.map(({ number }) => number)).toEqual(accepted.map(numberOf));
  for (const page of pages) expect(read(page)).toMatch(new RegExp(`^# ${numberOf(page)}\\. `));
});

test('every decision has a status, and another page is where the status says', () => {
  const kept = new Set(accepted.map(numberOf));
  for (const { number, page, status } of rows) {
    const other = /^(?:superseded by|merged into) (\d+)$/.exec(status)?.[1];
    expect(status === 'accepted' || kept.has(other ?? ''), `${number}: ${status}`).toBe(true);
    expect(status.startsWith('merged into'), `${number}: ${status}`).toBe(page === undefined);
  }
});

test('no decision has more than 600 words', () => {
  expect(pages.filter((page) => wordsIn(read(page)) > 600)).toEqual([]);
});
