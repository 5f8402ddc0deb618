import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedRecords } from '../../../bench/lists/seed-records.ts';
import { activationSubject, type Guarded } from '../../../src/domain/fence/fence.ts';
import { makeListReader } from '../../../src/projections/lists/read/list-reader.ts';
import { usualFanOut } from '../../../src/projections/lists/write/counting.ts';
import type { ListAnswer, ListPlace, ListPosition } from '../../../src/projections/read-models.ts';
import { explain, sentBy } from '../../support/documents/explained.ts';
import { testReadModels, type TestReadModels } from '../../support/log/read-models.ts';
import { isRelease } from '../../support/tiers.ts';

const records = isRelease ? 1_200_000 : 300_000;
const perPage = 50;

/**
 * What a page may read at most, of any list of up to fan-out³ records: the blocks of level 1, the blocks of one of these,
 * the records ahead in one of those; its items with one more at either end; the list, its activation, and the fence.
 */
const mostRows = 2 * usualFanOut + (usualFanOut - 1) + (perPage + 2) + 1 + 1 + 5;
/** A row costs its page and at most one more of the index, a descent a page a level. */
const mostBuffers = (searches: number) => 2 * mostRows + 4 * searches;

let side: TestReadModels;
let client: pg.Client;
beforeAll(async () => {
  side = await testReadModels();
  client = new pg.Client({ connectionString: side.database.url });
  await client.connect();
  await seedRecords(side.database.url, {
    organizationId: 'O1',
    userIds: ['U1'],
    records,
    from: { position: 10n, created: Date.UTC(2026, 0, 1) },
    step: { position: 10, created: 1000 },
  });
  await side.fence.write([{ subject: activationSubject('O1', 'A1'), revision: 1n, epoch: 1, open: true }]);
  await side.pool.query('vacuum analyze fence');
});
afterAll(async () => {
  await client.end();
  await side.close();
});

const grant = { grantId: 'G1', addonId: 'A1', userId: 'U1', rotation: 0 } as const;
const organization: Guarded = { ...grant, subject: { kind: 'organization', organizationId: 'O1', epoch: 1 } };
const user: Guarded = { ...grant, subject: { kind: 'user', userId: 'U1', epoch: 0 } };

const read = async (guarded: Guarded, place: ListPlace) => {
  const answer = await side.readModels.accessRights.page({ guarded, perPage, place });
  if (answer.refused !== null || answer.unchanged) throw new Error('no page was read');
  return answer;
};
const explained = async (guarded: Guarded, place: ListPlace, unless: readonly string[] = []) =>
  explain(
    client,
    await sentBy((reader) =>
      makeListReader(reader, 'access_rights').page({ guarded, perPage, place, unless }),
    ),
  );
const idsOf = (answer: Extract<ListAnswer<object>, { unchanged: false }>) => answer.items.map(({ id }) => id);

const slice = (offset: number) => ({
  statement: {
    name: 'plain',
    text: 'select id from access_rights where organization_id = $1 order by ordinal offset $2::bigint limit $3::int',
  },
  values: ['O1', offset, perPage],
});
const plainIds = async (offset: number) => {
  const { statement, values } = slice(offset);
  const { rows } = await side.pool.query<{ id: string }>(statement.text, values);
  return rows.map(({ id }) => id);
};

describe.each([
  ['an organization', organization],
  ['a user', user],
])(`LI-04, LI-05: the list of ${records} records of %s`, (_whose, guarded) => {
  const pagesOf = async () => {
    const { totalItems, bound } = await read(guarded, { by: 'page', page: 1 });
    const last = Math.ceil(totalItems / perPage);
    return { bound, pages: { first: 1, second: 2, middle: Math.ceil(last / 2), last } };
  };

  test('any page, by its number or by a position, reads as few rows as any other, and the right ones', async () => {
    const { bound, pages } = await pagesOf();
    for (const [name, page] of Object.entries(pages)) {
      const answer = await read(guarded, { by: 'page', page });
      expect(idsOf(answer)).toEqual(await plainIds((page - 1) * perPage));
      const [first, last] = [answer.first as ListPosition, answer.last as ListPosition];
      const places: readonly ListPlace[] = [
        { by: 'page', page },
        { by: 'after', position: first, bound },
        { by: 'after', position: last, bound },
        { by: 'before', position: first, bound },
        { by: 'before', position: last, bound },
      ];
      for (const place of places) {
        const cost = await explained(guarded, place);
        expect(cost.allRows, `${name} ${place.by}`).toBeLessThanOrEqual(mostRows);
        expect(cost.buffers, `${name} ${place.by}`).toBeLessThanOrEqual(mostBuffers(cost.searches));
      }
      expect(idsOf(await read(guarded, { by: 'after', position: last, bound }))).toEqual(
        await plainIds(page * perPage),
      );
      const before = (page - 2) * perPage;
      expect(idsOf(await read(guarded, { by: 'before', position: first, bound }))).toEqual(
        before < 0 ? [] : await plainIds(before),
      );
    }
  });

  test('by position no block is read; past the end no record is', async () => {
    const { bound, pages } = await pagesOf();
    const { last } = await read(guarded, { by: 'page', page: pages.middle });
    const position = last as ListPosition;
    const followed = await explained(guarded, { by: 'after', position, bound });
    expect(followed.rows).not.toHaveProperty('list_blocks');
    expect(followed.rows['access_rights']).toBeLessThanOrEqual(perPage + 2);
    const past = await explained(guarded, { by: 'page', page: pages.last + 1 });
    expect(past.rows).toEqual({ lists: 1, fence: 1 });
  });

  test('what has entered since the walk began costs nothing, however much it is', async () => {
    const { pages } = await pagesOf();
    const { first } = await read(guarded, { by: 'page', page: pages.middle });
    const position = first as ListPosition;
    const { rows } = await side.pool.query<{ entered: string }>(
      'select entered from access_rights where organization_id = $1 and ordinal = $2',
      ['O1', position.ordinal],
    );
    const ended: ListPlace = { by: 'after', position, bound: BigInt(rows[0]?.entered ?? '') };
    expect(await read(guarded, ended)).toMatchObject({ items: [], hasAfter: false });
    expect((await explained(guarded, ended)).rows['access_rights']).toBeLessThanOrEqual(perPage + 2);
  });

  test("whoever has the list's version costs the list's row, and its token's", async () => {
    const { pages, bound } = await pagesOf();
    const { version, last } = await read(guarded, { by: 'page', page: pages.middle });
    const places: readonly ListPlace[] = [
      { by: 'page', page: 1 },
      { by: 'page', page: pages.last },
      { by: 'after', position: last as ListPosition, bound },
      { by: 'before', position: last as ListPosition, bound },
    ];
    for (const place of places)
      expect((await explained(guarded, place, [version])).rows).toEqual({ lists: 1, fence: 1 });
  });
});

test('plain OFFSET is found out: it reads what it skips', async () => {
  const { totalItems } = await read(organization, { by: 'page', page: 1 });
  const cost = await explain(client, slice(totalItems - perPage));
  expect(cost.allRows).toBe(totalItems);
  expect(cost.allRows).toBeGreaterThan(10 * mostRows);
});

test.each([
  ['an organization', organization],
  ['a user', user],
])('as few rows for %s while nothing is known of the tables, as after a rebuild', async (_whose, guarded) => {
  const { totalItems, bound } = await read(guarded, { by: 'page', page: 1 });
  const page = Math.ceil(totalItems / perPage);
  const { first } = await read(guarded, { by: 'page', page });
  await side.pool.query(
    `update pg_class set reltuples = -1, relpages = 0, relallvisible = 0
     where oid in (select indexrelid from pg_index where indrelid = any($1::regclass[]) union select unnest($1::regclass[]))`,
    [tables],
  );
  await side.pool.query('delete from pg_statistic where starelid = any($1::regclass[])', [tables]);
  const position = first as ListPosition;
  const places: readonly ListPlace[] = [
    { by: 'page', page },
    { by: 'page', page: Math.ceil(page / 2) },
    { by: 'after', position, bound },
    { by: 'before', position, bound },
  ];
  for (const place of places)
    expect((await explained(guarded, place)).allRows, `${place.by} of ${totalItems}`).toBeLessThanOrEqual(
      mostRows,
    );
});

const tables = ['access_rights', 'lists', 'list_blocks', 'fence'];
