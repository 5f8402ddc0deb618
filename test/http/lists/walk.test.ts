import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CursorKey, makeCursors } from '../../../src/http/lists/cursor.ts';
import { linksOf } from '../../../src/http/lists/page-links.ts';
import { readPageParameters, placeOf } from '../../../src/http/lists/page-parameters.ts';
import { parseParams } from '../../../src/http/requests/params.ts';
import { arrayList, type ArrayList } from '../../support/memory/array-list.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** What links lead to while the list changes under the walk (docs/explanation/lists.md), over an array instead of a database. */

const key: CursorKey = { id: 'k1', key: new Uint8Array(32).fill(7) };
const guarded = {
  grantId: 'G1',
  addonId: 'A1',
  userId: 'U1',
  subject: { kind: 'user', userId: 'U1', epoch: 0 },
} as const;

type Page = {
  readonly ids: readonly string[];
  readonly page: number;
  readonly prev: string | undefined;
  readonly next: string | undefined;
};

/** What the route does, without HTTP. */
const client = (list: ArrayList, { listNumber = 7n, keys = [key] as readonly [CursorKey] } = {}) => {
  const cursors = makeCursors(keys);
  return async (href: string): Promise<Page> => {
    const asked = readPageParameters(parseParams(href.replace(/^[^?]*\??/, '')), cursors);
    if (!asked.ok) throw new Error(JSON.stringify(asked.errors));
    const { page, perPage } = asked.value;
    const place = placeOf(asked.value, listNumber);
    const read = await list.reader.page({ guarded, perPage, place });
    if (read.refused !== null || read.unchanged) throw new Error('not a page');
    const pages = Math.ceil(read.totalItems / perPage);
    const { body } = linksOf(
      '/x',
      { ...read, asked: asked.value, place, list: listNumber, pages },
      { encrypt: (cursor) => cursors.encrypt({ ...cursor, sync: { position: 0n, state: 0n, minutes: 0 } }) },
    );
    const to = (rel: string) => body.find((link) => link.rel === rel)?.href;
    return { ids: read.items.map(({ id }) => id), page, prev: to('prev'), next: to('next') };
  };
};

const listOf = (count: number, organizationId = 'O1'): ArrayList => {
  const list = arrayList();
  for (let at = 1; at <= count; at += 1) list.add(`r${at}`, organizationId);
  return list;
};

const must = (href: string | undefined): string => {
  if (href === undefined) throw new Error('link not found');
  return href;
};

describe('the number of a page that links led to', () => {
  test('LI-03: counts the links, whatever was removed meanwhile', async () => {
    const list = listOf(9);
    const get = client(list);
    const first = await get('?per_page=3');
    ['r1', 'r2', 'r3'].forEach((id) => list.remove(id));
    const second = await get(must(first.next));
    expect([second.page, second.ids]).toEqual([2, ['r4', 'r5', 'r6']]);
    expect(second.prev).toBeUndefined(); // nothing is ahead, although this was page 2
    const third = await get(must(second.next));
    expect([third.page, third.ids, third.next]).toEqual([3, ['r7', 'r8', 'r9'], undefined]);
    const back = await get(must(third.prev));
    expect([back.page, back.ids]).toEqual([2, ['r4', 'r5', 'r6']]);
  });

  test('LI-03: stays 1 where records came in ahead of page 1, and links still lead to them', async () => {
    const list = listOf(4, 'O2');
    const get = client(list);
    const second = await get('?page=2&per_page=2');
    ['a', 'b', 'c'].forEach((id) => list.add(id, 'O1'));
    const first = await get(must(second.prev));
    expect([first.page, first.ids]).toEqual([1, ['r1', 'r2']]);
    const ahead = await get(must(first.prev));
    expect([ahead.page, ahead.ids]).toEqual([1, ['b', 'c']]);
    const furthest = await get(must(ahead.prev));
    expect([furthest.page, furthest.ids, furthest.prev]).toEqual([1, ['a'], undefined]);
  });
});

describe('a cursor that does not fit', () => {
  const list = listOf(9);
  const next = async () => must((await client(list)('?per_page=3')).next);

  test.each([
    ['another page', (href: string) => href.replace('page=2', 'page=3'), ['r7', 'r8', 'r9']],
    [
      'another per_page',
      (href: string) => href.replace('per_page=3', 'per_page=4'),
      ['r5', 'r6', 'r7', 'r8'],
    ],
    ['no per_page', (href: string) => href.replace('&per_page=3', ''), []],
  ])('LI-03: with %s it is ignored: the page number counts', async (_what, change, ids) => {
    list.remove('r0'); // another version, the same records
    expect((await client(list)(change(await next()))).ids).toEqual(ids);
  });

  test('LI-03: of another list, or of a key that is gone, is ignored, too', async () => {
    const shrunk = listOf(9);
    const link = must((await client(shrunk)('?per_page=3')).next);
    shrunk.remove('r1');
    expect((await client(shrunk)(link)).ids).toEqual(['r4', 'r5', 'r6']);
    expect((await client(shrunk, { listNumber: 8n })(link)).ids).toEqual(['r5', 'r6', 'r7']);
    const otherKey = { keys: [{ ...key, id: 'k9' }] as const };
    expect((await client(shrunk, otherKey)(link)).ids).toEqual(['r5', 'r6', 'r7']);
  });
});

type Step = { readonly add?: string; readonly remove?: number };
const steps = fc.array(
  fc.oneof(
    fc.record({ add: fc.constantFrom('O1', 'O2', 'O3') }),
    fc.record({ remove: fc.nat() }),
    fc.record({ remove: fc.nat() }),
  ),
  { maxLength: 4 },
);
const walk = fc.record({
  sizes: fc.tuple(fc.nat(12), fc.nat(12), fc.nat(12)),
  perPage: fc.integer({ min: 1, max: 6 }),
  changes: fc.array(steps, { maxLength: 12 }),
});

/** @returns the ids that were there all the time, and how to let the next changes happen */
const scene = (sizes: readonly number[], changes: readonly (readonly Step[])[]) => {
  const list = arrayList();
  sizes.forEach((size, at) => {
    for (let n = 0; n < size; n += 1) list.add(`O${at + 1}-${n}`, `O${at + 1}`);
  });
  const survivors = new Set(list.ids());
  let added = 0;
  const change = (turn: number) => {
    for (const { add, remove } of changes[turn] ?? []) {
      if (add !== undefined) list.add(`new-${(added += 1)}`, add);
      const ids = list.ids();
      const gone = remove === undefined ? undefined : ids[remove % Math.max(ids.length, 1)];
      if (gone === undefined) continue;
      list.remove(gone);
      survivors.delete(gone);
    }
  };
  return { list, survivors, change };
};

const follow = async (
  get: (href: string) => Promise<Page>,
  start: string,
  rel: 'prev' | 'next',
  change: (turn: number) => void,
) => {
  const seen: string[] = [];
  const pages: number[] = [];
  let href: string | undefined = start;
  while (href !== undefined) {
    const answer: Page = await get(href);
    seen.push(...answer.ids);
    pages.push(answer.page);
    change(pages.length - 1);
    href = answer[rel];
  }
  return { seen, pages };
};

describe('following links while records come and go', () => {
  test('LI-02: forwards: what stays is seen once, nothing twice, and the walk ends', async () => {
    await fc.assert(
      fc.asyncProperty(walk, async ({ sizes, perPage, changes }) => {
        const { list, survivors, change } = scene(sizes, changes);
        const most = Math.ceil(list.ids().length / perPage) + 1;
        const { seen, pages } = await follow(client(list), `?per_page=${perPage}`, 'next', change);
        expect(new Set(seen).size).toBe(seen.length);
        expect([...survivors].filter((id) => !seen.includes(id))).toEqual([]);
        expect(seen.filter((id) => id.startsWith('new-'))).toEqual([]);
        expect(pages).toEqual(pages.map((_, at) => at + 1));
        expect(pages.length).toBeLessThanOrEqual(most);
      }),
      propertyRuns(60),
    );
  });

  test('LI-02: backwards from the last page, too', async () => {
    await fc.assert(
      fc.asyncProperty(walk, async ({ sizes, perPage, changes }) => {
        const { list, survivors, change } = scene(sizes, changes);
        const last = Math.max(Math.ceil(list.ids().length / perPage), 1);
        const start = `?page=${last}&per_page=${perPage}`;
        const { seen, pages } = await follow(client(list), start, 'prev', change);
        expect(new Set(seen).size).toBe(seen.length);
        expect([...survivors].filter((id) => !seen.includes(id))).toEqual([]);
        expect(pages).toEqual(pages.map((_, at) => Math.max(last - at, 1)));
      }),
      propertyRuns(60),
    );
  });

  test('LI-03: where nothing changes, there and back are the same pages, and those that the numbers name', async () => {
    const list = listOf(23);
    const get = client(list);
    const forth: Page[] = [];
    for (let href: string | undefined = '?per_page=5'; href !== undefined; href = forth.at(-1)?.next)
      forth.push(await get(href));
    const back: Page[] = [];
    for (let href = forth.at(-1)?.prev; href !== undefined; href = back.at(-1)?.prev)
      back.push(await get(href));
    expect(back.toReversed()).toEqual(forth.slice(0, -1));
    for (const { page, ids } of forth) expect((await get(`?page=${page}&per_page=5`)).ids).toEqual(ids);
  });
});
