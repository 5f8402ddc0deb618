import { expect, test } from 'vitest';
import type { Cursor } from '../../../src/http/lists/cursor.ts';
import { linksOf, type PageEnds } from '../../../src/http/lists/page-links.ts';

const address = 'https://api.example/market/access-rights';
const bound = 90n;
const at = (ordinal: number) => ({ organizationId: 'O1', ordinal });

/** A cursor that can be read. */
const encrypted: Omit<Cursor, 'sync'>[] = [];
const cursors = { encrypt: (cursor: Omit<Cursor, 'sync'>) => `c${encrypted.push(cursor) - 1}` };

const ends = (page: number, pages: number, change: Partial<PageEnds> = {}): PageEnds => ({
  asked: { page, perPage: 10, perPageSent: false, cursor: null },
  place: { by: 'page', page },
  list: 7n,
  pages,
  ...(page <= pages ? { first: at(10 * page - 10), last: at(10 * page - 1) } : { first: null, last: null }),
  hasBefore: page > 1 && page <= pages,
  hasAfter: page < pages,
  bound,
  ...change,
});

const links = (given: PageEnds) => linksOf(address, given, cursors);
const rels = (given: PageEnds) =>
  links(given).body.map(({ rel, href }) => {
    const query = new URL(href).searchParams;
    return `${rel} ${query.get('page')}${query.has('cursor') ? '' : ' typed'}`;
  });
const walking = (page: number, pages: number, by: 'after' | 'before', change: Partial<PageEnds>) =>
  ends(page, pages, { place: { by, position: at(3), bound }, ...change });

test('LI-02: prev and next exist only where there is such a page', () => {
  expect(rels(ends(1, 3))).toEqual(['next 2']);
  expect(rels(ends(2, 3))).toEqual(['prev 1', 'next 3']);
  expect(rels(ends(3, 3))).toEqual(['prev 2']);
  expect(rels(ends(1, 1))).toEqual([]);
});

test('LI-05: past the last page, prev leads to the real last one by number; an empty list has none', () => {
  expect(rels(ends(9, 3))).toEqual(['prev 3 typed']);
  expect(rels(ends(2_147_483_647, 3))).toEqual(['prev 3 typed']);
  expect(rels(ends(1, 0))).toEqual([]);
  expect(rels(ends(7, 0))).toEqual([]);
});

test('LI-02: a walk that finds nothing more is at its end, and leads back by number only from behind', () => {
  const nothing = { first: null, last: null, hasBefore: false, hasAfter: false };
  expect(rels(walking(4, 2, 'after', nothing))).toEqual(['prev 2 typed']);
  expect(rels(walking(2, 5, 'after', nothing))).toEqual(['prev 1 typed']);
  expect(rels(walking(3, 5, 'before', nothing))).toEqual([]);
});

test('LI-02: what is there decides about a link, not the number of the page', () => {
  expect(rels(walking(3, 3, 'before', { hasBefore: false, hasAfter: true }))).toEqual(['next 4']);
  expect(rels(walking(9, 3, 'after', { first: at(4), last: at(5), hasAfter: true }))).toEqual(['next 10']);
});

test('LI-06: no link leads to a page that nobody may ask for', () => {
  const highest = 2 ** 31 - 1;
  const more = { first: at(4), last: at(5), hasBefore: true, hasAfter: true };
  expect(rels(walking(highest, 3, 'after', more))).toEqual([`prev ${highest - 1}`, `next ${highest}`]);
  expect(rels(walking(1, 3, 'before', more))).toEqual(['prev 1', 'next 2']);
});

test('LI-03: links are absolute, keep page, keep per_page when it was sent, and carry a cursor', () => {
  const [next] = links(ends(1, 2)).body;
  expect(next).toEqual({
    rel: 'next',
    type: 'GET',
    href: `${address}?page=2&cursor=c${encrypted.length - 1}`,
  });
  const sent = ends(1, 2, { asked: { page: 1, perPage: 10, perPageSent: true, cursor: null } });
  expect(links(sent).body[0]?.href).toBe(`${address}?page=2&per_page=10&cursor=c${encrypted.length - 1}`);
});

test('LI-03: the cursor says what its link says, and where that page begins', () => {
  encrypted.length = 0;
  links(ends(2, 3));
  const walk = { perPage: 10, list: 7n, bound };
  expect(encrypted).toEqual([
    { ...walk, page: 1, direction: 'before', position: at(10) },
    { ...walk, page: 3, direction: 'after', position: at(19) },
  ]);
});

test('LI-02: the Link header adds first and last, which are pages by number', () => {
  encrypted.length = 0;
  expect(links(ends(2, 3)).header).toBe(
    [
      `<${address}?page=1&cursor=c0>; rel="prev"`,
      `<${address}?page=3&cursor=c1>; rel="next"`,
      `<${address}?page=1>; rel="first"`,
      `<${address}?page=3>; rel="last"`,
    ].join(', '),
  );
  expect(links(ends(1, 0)).header).toBe(`<${address}?page=1>; rel="first", <${address}?page=1>; rel="last"`);
});
