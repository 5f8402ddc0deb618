import { expect, test } from 'vitest';
import { linksOf } from '../../src/http/lists/page-links.ts';

const address = 'https://api.example/access-rights';
const at = (page: number, pages: number, perPageSent = false) =>
  linksOf(address, { page, perPage: 10, perPageSent }, pages);
const rels = (page: number, pages: number) =>
  at(page, pages).body.map(({ rel, href }) => `${rel} ${new URL(href).searchParams.get('page')}`);

test('LI-02: prev and next exist only where there is such a page', () => {
  expect(rels(1, 3)).toEqual(['next 2']);
  expect(rels(2, 3)).toEqual(['prev 1', 'next 3']);
  expect(rels(3, 3)).toEqual(['prev 2']);
  expect(rels(1, 1)).toEqual([]);
});

test('LI-05: past the last page, prev leads to the real last one; an empty list has none', () => {
  expect(rels(9, 3)).toEqual(['prev 3']);
  expect(rels(1, 0)).toEqual([]);
  expect(rels(7, 0)).toEqual([]);
});

test('LI-03: links are absolute, keep page, and keep per_page when it was sent', () => {
  expect(at(1, 2).body[0]).toEqual({ rel: 'next', type: 'GET', href: `${address}?page=2` });
  expect(at(1, 2, true).body[0]?.href).toBe(`${address}?page=2&per_page=10`);
});

test('LI-02: the Link header adds first and last', () => {
  expect(at(2, 3).header).toBe(
    [
      `<${address}?page=1>; rel="prev"`,
      `<${address}?page=3>; rel="next"`,
      `<${address}?page=1>; rel="first"`,
      `<${address}?page=3>; rel="last"`,
    ].join(', '),
  );
});
