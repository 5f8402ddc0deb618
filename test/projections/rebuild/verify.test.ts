import { afterAll, describe, expect, test } from 'vitest';
import { compareTables } from '../../../src/projections/rebuild/compare-tables.ts';
import { rebuild } from '../../../src/projections/rebuild/rebuild.ts';
import { keptBeyondEnd } from '../../../src/domain/fence/fence-retention.ts';
import { verify } from '../../../src/projections/rebuild/verify.ts';
import { organization, profile, reservation, wholeStory } from '../follow/a-story.ts';
import { rebuildScene } from './scene.ts';
import { isRelease } from '../../support/tiers.ts';

const scene = await rebuildScene();
await scene.tell(...wholeStory());
await scene.settle();
for (const name of ['organizations', 'accounts', 'consents', 'grants', 'lists', 'activation-fence'])
  await rebuild(scene.needs, { name });
afterAll(() => scene.close());

/** What `verify` finds while a statement's change is there. */
const differencesAfter = async (name: string, spoil: string, mend: string) => {
  await scene.side.pool.query(spoil);
  const { differences } = await verify(scene.needs, { name, blockSize: 3 });
  await scene.side.pool.query(mend);
  expect((await verify(scene.needs, { name, blockSize: 3 })).differences).toEqual([]);
  return differences;
};

describe('a row that is wrong', () => {
  test('is named with both versions of it and the column', async () => {
    const [found, ...others] = await differencesAfter(
      'organizations',
      `update public_organizations_v2.organizations set name = 'Another' where organization_id = 'O2'`,
      `update public_organizations_v2.organizations set name = 'Organization O2' where organization_id = 'O2'`,
    );
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      table: 'organizations',
      kind: 'different',
      key: { organization_id: 'O2' },
      columns: ['name'],
      live: { name: 'Organization O2' },
      rebuilt: { name: 'Another' },
      rows: 1,
      keys: [{ organization_id: 'O2' }],
    });
  });

  test('is found where only NULL and nothing differ', async () => {
    const [found] = await differencesAfter(
      'grants',
      `update public_grants_v2.grants set ended_reason = '' where grant_id = 'G2'`,
      `update public_grants_v2.grants set ended_reason = null where grant_id = 'G2'`,
    );
    expect(found).toMatchObject({
      columns: ['ended_reason'],
      live: { ended_reason: null },
      rebuilt: { ended_reason: '' },
    });
  });

  test('is found where only the order of a JSON differs', async () => {
    const reordered = `(select json_object_agg(key, value order by key desc)::text from json_each(item))::json`;
    const { rows } = await scene.side.pool.query<{ item: string }>(
      `select item::text from public.reservations where id = 'R1'`,
    );
    const [found] = await differencesAfter(
      'lists',
      `update public_lists_v2.reservations set item = ${reordered} where id = 'R1'`,
      `update public_lists_v2.reservations set item = '${rows[0]?.item}' where id = 'R1'`,
    );
    expect(found).toMatchObject({ table: 'reservations', columns: ['item'] });
  });

  test('is found in every column of every table', async () => {
    const { rows } = await scene.side.pool.query<{
      schema: string;
      table: string;
      column: string;
      type: string;
    }>(
      `select table_schema as schema, table_name as table, column_name as column, data_type as type
       from information_schema.columns c
       where table_schema in ('public_organizations_v2', 'public_consents_v2', 'public_grants_v2', 'public_lists_v2') and is_generated = 'NEVER'
         and exists (select from pg_class t join pg_namespace n on n.oid = t.relnamespace
                     where n.nspname = table_schema and t.relname = table_name and t.relkind = 'r')`,
    );
    expect(rows.length).toBeGreaterThan(50);
    const client = await scene.side.pool.connect();
    const other = await scene.side.pool.connect();
    const signal = new AbortController().signal;
    const unnoticed: string[] = [];
    let spoiledColumns = 0;
    try {
      for (const { schema, table, column, type } of rows) {
        const name = `${schema}.${table}`;
        const spoiled =
          type === 'text'
            ? `coalesce(${column}, '') || 'x'`
            : type === 'json' || type === 'jsonb'
              ? `'{"x": 1}'`
              : type === 'boolean'
                ? `not ${column}`
                : type === 'ARRAY'
                  ? `coalesce(${column}, '{}') || 'x'::text`
                  : `coalesce(${column}, 0) + 10007`; // of no other row
        await client.query('begin');
        const constraints = await client.query<{ conname: string }>(
          `select conname from pg_constraint where conrelid = $1::regclass and contype = 'c'`,
          [name],
        );
        for (const { conname } of constraints.rows)
          await client.query(`alter table ${name} drop constraint ${conname}`);
        const { rowCount } = await client.query(
          `update ${name} set ${column} = ${spoiled} where ctid = (select ctid from ${name} limit 1)`,
        );
        const live = { tx: other, schema: 'public' };
        const { difference } = await compareTables({ live, rebuilt: { tx: client, schema }, signal }, table);
        if (rowCount === 1 && difference?.columns.includes(column) !== true)
          unnoticed.push(`${name}.${column}`);
        spoiledColumns += rowCount ?? 0;
        await client.query('rollback');
      }
    } finally {
      client.release();
      other.release();
    }
    expect(unnoticed).toEqual([]);
    expect(spoiledColumns).toBeGreaterThan(50);
  });

  test('is found where it is missing, and where it is too many: before, between and behind the others', async () => {
    const [missing] = await differencesAfter(
      'lists',
      `create table kept as select * from public_lists_v2.access_rights; delete from public_lists_v2.access_rights where id = 'X1'`,
      `insert into public_lists_v2.access_rights select * from kept; drop table kept`,
    );
    expect(missing).toMatchObject({
      table: 'access_rights',
      kind: 'missing',
      key: { id: 'X1' },
      rebuilt: null,
    });
    for (const id of ['O0', 'O1x', 'O3']) {
      const [extra] = await differencesAfter(
        'organizations',
        `insert into public_organizations_v2.organizations (organization_id, name, words, created_at) values ('${id}', 'One more', '{}', 1)`,
        `delete from public_organizations_v2.organizations where organization_id = '${id}'`,
      );
      expect(extra).toMatchObject({ kind: 'extra', key: { organization_id: id }, live: null });
    }
  });

  test('counted rows and lists are compared like all others', async () => {
    const [list] = await differencesAfter(
      'lists',
      `update public_lists_v2.lists set total = total + 1 where list = 'profiles' and organization_id = 'O1' and user_id = ''`,
      `update public_lists_v2.lists set total = total - 1 where list = 'profiles' and organization_id = 'O1' and user_id = ''`,
    );
    expect(list).toMatchObject({ table: 'lists', columns: ['total'] });
    const [connection] = await differencesAfter(
      'grants',
      `update public_grants_v2.connections set live = live + 1`,
      `update public_grants_v2.connections set live = live - 1`,
    );
    expect(connection).toMatchObject({ table: 'connections', columns: ['live'] });
  });

  test('is counted with all others of its table, of which the first are named', async () => {
    const rows = (from: number, to: number) =>
      `select 'Z' || n, 'One more', '{}'::text[], n from generate_series(${from}, ${to}) as n`;
    const [found] = await differencesAfter(
      'organizations',
      `insert into public_organizations_v2.organizations (organization_id, name, words, created_at) ${rows(1, 8)};
       update public_organizations_v2.organizations set name = 'Another' where organization_id = 'O2'`,
      `delete from public_organizations_v2.organizations where name = 'One more';
       update public_organizations_v2.organizations set name = 'Organization O2' where organization_id = 'O2'`,
    );
    const extra = ['Z1', 'Z2', 'Z3', 'Z4'].map((id) => ({ organization_id: id }));
    expect(found).toMatchObject({ kind: 'different', rows: 9, keys: [{ organization_id: 'O2' }, ...extra] });
  });
});

describe('the live tables go on', () => {
  test('both are at the same position, however far the log is', async () => {
    await scene.pause();
    await scene.tell(organization('O5'));
    const behind = await verify(scene.needs, { name: 'organizations' });
    scene.resume();
    await scene.settle();
    const after = await verify(scene.needs, { name: 'organizations' });
    expect([behind, after]).toMatchObject([{ differences: [] }, { differences: [] }]);
    expect(after.position.commit).toBeGreaterThan(behind.position.commit);
    expect(after.tables['organizations']).toBe((behind.tables['organizations'] ?? 0) + 1);
  });

  test('while they are written, no verification finds a difference', async () => {
    let telling = true;
    let told = 0;
    const teller = (async () => {
      for (let n = 0; telling; n += 1) {
        await scene.tell(profile(`Q${n}`, 1, 'U1'), reservation(`S${n}`, `Q${n}`));
        await scene.settle();
        told += 1;
      }
    })();
    const found = [];
    for (let n = 0; n < 3; n += 1) {
      await expect.poll(() => told).toBeGreaterThan(n);
      found.push(await verify(scene.needs, { name: 'lists', blockSize: 10 }));
    }
    telling = false;
    await teller;
    expect(found.map(({ differences }) => differences)).toEqual([[], [], []]);
    expect(found[2]?.position.commit).toBeGreaterThan(found[0]?.position.commit ?? 0n);
  });
});

/** A million once, with the wrong row near the end: all of it is compared. */
const amounts = [
  { count: 20_000, wrong: [null, 1, 5_000, 14_001, 20_000] },
  ...(isRelease ? [{ count: 1_000_000, wrong: [999_998] }] : []),
];

test.each(amounts)('one wrong row among $count is found, wherever it is', async ({ count, wrong }) => {
  const { pool } = scene.side;
  const client = await pool.connect();
  const other = await pool.connect();
  const signal = new AbortController().signal;
  const rows = (schema: string) => `
    create table ${schema}.many (id bigint primary key, part text collate "C", item json);
    insert into ${schema}.many select n, 'part ' || n % 7, json_build_object('n', n, 'text', md5(n::text)) from generate_series(1, ${count}) as n`;
  await client.query('create schema a; create schema b');
  await Promise.all([client.query(rows('a')), other.query(rows('b'))]);
  const compare = () =>
    compareTables(
      { live: { tx: client, schema: 'a' }, rebuilt: { tx: other, schema: 'b' }, signal, blockSize: 5_000 },
      'many',
    );
  try {
    for (const id of wrong) {
      await other.query('begin');
      await other.query(`update b.many set item = '{}' where id = $1`, [id]);
      const difference = id && { kind: 'different', key: { id: String(id) }, columns: ['item'] };
      expect(await compare()).toMatchObject(id === null ? { rows: count, difference } : { difference });
      await other.query('rollback');
    }
  } finally {
    await client.query('drop schema a, b cascade').catch(() => undefined);
    client.release();
    other.release();
  }
});

describe('the fence', () => {
  /** Of the story's codes. */
  const codeEnds = 60;

  test('may be ahead by what the projections have not come to, and by nothing else', async () => {
    await scene.side.fence.write([{ subject: 'addon:A1', revision: 999n, epoch: 0, open: false }]);
    const { differences } = await verify(scene.needs, { name: 'activation-fence' });
    expect(differences).toMatchObject([{ kind: 'missing', key: { subject: 'addon:A1' } }]);
    await scene.side.pool.query(`delete from fence where subject = 'addon:A1'`);
  });

  test('GR-05: is reported when it is behind, but not of what nothing hangs on any more', async () => {
    await scene.side.pool.query(
      `create table kept as select * from fence where subject = 'grant:G1'; delete from public.fence where subject = 'grant:G1'`,
    );
    const differencesAt = async (now: number) =>
      (await verify({ ...scene.needs, now: () => now }, { name: 'activation-fence' })).differences;
    const [found] = await differencesAt(codeEnds + keptBeyondEnd);
    expect(await differencesAt(codeEnds + keptBeyondEnd + 1), 'retention may have removed it').toEqual([]);
    await scene.side.pool.query('insert into fence select * from kept; drop table kept');
    expect(found).toMatchObject({
      kind: 'extra',
      key: { subject: 'grant:G1' },
    });
  });
});
