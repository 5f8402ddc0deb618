import { afterAll, beforeAll, expect, test } from 'vitest';
import { cursorText, readCursor } from '../../src/domain/kernel/list-cursor.ts';
import { grantList } from '../../src/projections/access/list-grants.ts';
import { addonList } from '../../src/projections/addons/addons.ts';
import { countStatement, pageStatement, type SortedList } from '../../src/projections/kernel/sorted-list.ts';
import { organizationList } from '../../src/projections/organizations/list-organizations.ts';
import { userList } from '../../src/projections/people/list-users.ts';
import { publisherList } from '../../src/projections/publishers/read-publishers.ts';
import type { PageAsked } from '../../src/projections/read-models.ts';
import { testReadModels } from '../support/log/read-models.ts';

const side = await testReadModels();
afterAll(() => side.close());

/** Every name has a few bearers; some have no words. */
const rows = 20_000;
const words = `case when n % 100 = 0 then array[]::text[] else array['name' || n % 5000, 'last'] end`;

beforeAll(async () => {
  await side.pool.query(`
    insert into accounts (user_id, email, name, roles, created_at, name_words, email_verified, updated_at)
    select 'U' || lpad(n::text, 6, '0'), 'user' || n * 7919 % ${rows} || '@example.com', 'Name ' || n, '[]', 1, ${words}, true, 1
    from generate_series(1, ${rows}) as n`);
  await side.pool.query(`
    insert into organizations (organization_id, name, created_at, words)
    select 'O' || lpad(n::text, 6, '0'), 'Name ' || n, 1, ${words} from generate_series(1, ${rows}) as n`);
  await side.pool.query(`
    insert into publishers (publisher_id, name, created_at, words)
    select 'P' || lpad(n::text, 6, '0'), 'Name ' || n, 1, ${words} from generate_series(1, ${rows}) as n`);
  await side.pool.query(`
    insert into addons (addon_id, name, redirect_uris, allowed_scopes, confidential, registered_at, words)
    select 'A' || lpad(n::text, 6, '0'), 'Name ' || n, '[]', '[]', false, 1, ${words} from generate_series(1, ${rows}) as n`);
  await side.pool.query(`
    insert into grants (grant_id, addon_id, user_id, epoch, scopes, status, rotation, issued_at, issued_position, expires_at)
    select 'G' || lpad(n::text, 6, '0'), 'A000001', 'U000001', 0, '[]', 'issued', 0, n, n, n from generate_series(1, ${rows}) as n`);
  await side.pool.query('analyze accounts, organizations, publishers, addons, grants');
});

const readers = {
  users: (page: PageAsked) => side.readModels.users({}, page),
  addons: (page: PageAsked) =>
    side.readModels.addonIds({ search: null, publisherId: null, withChanges: false }, page),
  publishers: (page: PageAsked) => side.readModels.publisherIds(null, page),
  organizations: async (page: PageAsked) => {
    const { rows: read, ...rest } = await side.readModels.organizations(null, page);
    return { rows: read.map(({ organizationId: id }) => ({ id })), ...rest };
  },
};
const lists = {
  users: userList,
  addons: addonList,
  publishers: publisherList,
  organizations: organizationList,
} satisfies Record<string, SortedList>;
const kinds = Object.keys(lists) as (keyof typeof lists)[];
const orders = kinds.flatMap((kind) =>
  Object.keys(lists[kind].keys).flatMap((key) => [
    [kind, key],
    [kind, `-${key}`],
  ]),
) as [keyof typeof lists, string][];

/** As the reader plans: once, without the values. */
const planOf = async (text: string, values: readonly unknown[]) => {
  const client = await side.pool.connect();
  try {
    await client.query('set plan_cache_mode = force_generic_plan');
    const { rows: lines } = await client.query<{ readonly 'QUERY PLAN': string }>(`explain ${text}`, [
      ...values,
    ]);
    return lines.map((line) => line['QUERY PLAN']).join('\n');
  } finally {
    client.release(true);
  }
};

test.each(orders)('PG-04: %s by %s are read in the order of an index, on every page', async (kind, sort) => {
  const { rows: first, next } = await readers[kind]({ after: null, limit: 50, sort });
  expect(first).toHaveLength(50);
  const { value = '', id = '' } = readCursor(next ?? '') ?? {};
  for (const begin of [
    [sort.startsWith('-') ? '\u{10ffff}' : '', ''],
    [value, id],
  ]) {
    const plan = await planOf(pageStatement(lists[kind], '', sort), [begin, 51]);
    expect(plan).toMatch(/Index (?:Only )?Scan/);
    expect(plan).not.toMatch(
      /^(?: {2}-> {2})?(?:Incremental )?Sort|Seq Scan on (?:accounts|addons|organizations|publishers)/m,
    );
  }
});

test('PG-04: the newest first is read by the key, too; a count looks at no more than its bound', async () => {
  for (const list of [...Object.values(lists), grantList])
    expect(await planOf(pageStatement(list, '', '-created_at'), ['\u{10ffff}', 51])).toMatch(/Backward/);
  expect(await planOf(countStatement('accounts', ''), [null, 1_001])).toMatch(/Limit .*rows=1001 /);
  const page = { after: null, limit: 1 };
  expect((await side.readModels.users({}, { ...page, countTo: 1_000 })).total).toEqual({
    count: 1_000,
    isMore: true,
  });
  expect((await side.readModels.users({ search: 'name7' }, { ...page, countTo: 1_000 })).total).toEqual({
    count: (await side.readModels.users({ search: 'name7' }, { after: null, limit: 1_000 })).rows.length,
    isMore: false,
  });
  expect(await side.readModels.users({ search: 'name7' }, page)).not.toHaveProperty('total');
});

const walk = async (
  kind: keyof typeof lists,
  sort: string,
  limit: number,
  between: (page: number) => Promise<unknown> = () => Promise.resolve(),
) => {
  const seen: string[] = [];
  let after: string | null = null;
  for (let page = 1; ; page += 1) {
    const read: Awaited<ReturnType<(typeof readers)['users']>> = await readers[kind]({ after, limit, sort });
    seen.push(...read.rows.map(({ id }) => id));
    if (read.next === null) return seen;
    after = read.next;
    await between(page);
  }
};

test.each(orders)(
  'PG-04: a walk of %s by %s has each once, also where many are equal',
  async (kind, sort) => {
    const { table, id, keys } = lists[kind];
    const key = keys[sort.replace('-', '')] ?? '';
    const way = sort.startsWith('-') ? 'desc' : '';
    const { rows: expected } = await side.pool.query<{ readonly id: string }>(
      `select ${id} as id from ${table} order by ${key} ${way}, ${id} ${way}`,
    );
    expect(await walk(kind, sort, 997)).toEqual(expected.map((row) => row.id));
  },
);

test('PG-04: what is renamed, made or removed between two pages makes nothing else missing or twice', async () => {
  await side.pool.query(`delete from accounts where user_id > 'U000300'`);
  const ids = async () =>
    (await side.pool.query<{ readonly id: string }>('select user_id as id from accounts')).rows.map(
      ({ id }) => id,
    );
  for (const sort of ['name', '-name', 'email', '-email']) {
    const before = await ids();
    const changed = new Set<string>();
    const seen = await walk('users', sort, 20, async (page) => {
      const [renamed = '', removed = ''] = [before[page * 7], before[page * 11 + 3]];
      const made = `V${sort}${page}`;
      for (const id of [renamed, removed, made]) changed.add(id);
      await side.pool.query(
        `update accounts set name_words = array['name' || $2], email = 'other' || $2 || '@example.com' where user_id = $1`,
        [renamed, page * 31],
      );
      await side.pool.query('delete from accounts where user_id = $1', [removed]);
      await side.pool.query(
        `insert into accounts (user_id, email, name, roles, created_at, name_words, email_verified, updated_at)
         values ($1, $1, $1, '[]', 1, array[$1], true, 1)`,
        [made],
      );
    });
    const still = before.filter((id) => !changed.has(id));
    expect(seen.filter((id) => !changed.has(id)).toSorted()).toEqual(still.toSorted());
    expect(seen.filter((id, index) => !changed.has(id) && seen.indexOf(id) !== index)).toEqual([]);
  }
});

test('PG-04: names are sorted by their words: case, accents and punctuation do not count', async () => {
  await side.pool.query('delete from publishers');
  const long = 'x'.repeat(5_000);
  for (const [id, list] of [
    ['P1', ['zebra']],
    ['P2', ['emile', 'zola']],
    ['P3', ['emile']],
    ['P4', ['ada']],
    ['P5', ['海辺の家']],
    ['P6', [long]],
    ['P7', [long, 'y']],
    ['P8', []],
  ] as const)
    await side.pool.query(
      'insert into publishers (publisher_id, name, created_at, words) values ($1, $1, 1, $2)',
      [id, list],
    );
  expect(await walk('publishers', 'name', 3)).toEqual(['P8', 'P4', 'P3', 'P2', 'P6', 'P7', 'P1', 'P5']);
});

test('a cursor is read back as it was written, and nothing else is one', () => {
  for (const cursor of [
    { sort: '', value: '', id: '01JD1A3C5E7G9J1M3P5R7T9W1Y' },
    { sort: '-created_at', value: '', id: 'A_B' },
    { sort: 'name', value: 'o\'neill, 海辺 {"\\}', id: 'A' },
  ])
    expect(readCursor(cursorText(cursor))).toEqual(cursor);
  expect(cursorText({ sort: 'name', value: '海辺', id: 'A' })).toMatch(/^[\w.-]+$/);
  for (const text of ['name.YQ', 'name.YQ.A.B', '.YQ.A', 'name.YR.A', 'name.AA.A', 'name.Y Q.A', 'name._w.A'])
    expect(readCursor(text)).toBeNull();
});
