import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { historyKey } from '../../../src/projections/history/history-types.ts';
import { ensureMonths, readPartitions } from '../../../src/projections/history/history-months.ts';
import { history } from '../../../src/projections/history/history.ts';
import { makeHistoryReader } from '../../../src/projections/history/read-history.ts';
import { readModelProjections } from '../../../src/projections/read-model-projections.ts';
import { explain, sentBy } from '../../support/documents/explained.ts';
import { testReadModels } from '../../support/log/read-models.ts';
import { issued, redeemed, refreshed } from '../follow/a-story.ts';
import { monthsTold, write } from '../follow/months-told.ts';

const side = await testReadModels();
const client = new pg.Client({ connectionString: side.database.url });
await client.connect();
afterAll(async () => {
  await client.end();
  await side.close();
});

const months = monthsTold();
const grants = Array.from({ length: 5 }, (_, i) => `01J9Z3T0Q7XK5V8M2N4P6R1S${String(i).padStart(2, '0')}`);
const bytes = async (): Promise<number> => {
  await client.query('vacuum full');
  const { rows } = await client.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  return rows[0]?.bytes ?? Number.NaN;
};

const rotations = 1600;

test('HI-04: a refresh leaves one row and 215 bytes at most in all tables that follow the log', async () => {
  const all = [...readModelProjections, history];
  await write(
    client,
    all,
    grants.flatMap((grant) => [months.recorded(issued(grant), 0), months.recorded(redeemed(grant), 1)]),
  );
  const refreshes = Array.from({ length: rotations }, (_, i) =>
    grants.map((grant) => months.recorded(refreshed(grant, i + 1), i + 2)),
  ).flat();
  await write(client, all, refreshes.slice(0, 10));
  const before = await bytes();
  await write(client, all, refreshes.slice(10));
  expect(((await bytes()) - before) / (refreshes.length - 10)).toBeLessThan(215);
  const { rows } = await client.query<{ rows: number }>(
    'select ((select count(*) from history_events) + (select count(*) from history_references))::int as rows',
  );
  expect(rows[0]?.rows).toBe(grants.length * 2 + refreshes.length);
});

test('HI-04: a page of a timeline reads what it shows and as much again from each month, wherever it is', async () => {
  const reading = (kind: 'organization' | 'grant', id: string, commit: bigint) =>
    sentBy((reader) =>
      makeHistoryReader(reader).references(
        { kind, id },
        { order: 'forward', after: { commit, prepare: commit } },
        50,
      ),
    );
  const { recorded } = monthsTold(3, 9_000);
  const later = Array.from({ length: 600 }, (_, i) => recorded(refreshed(grants[0] ?? '', i + 9), i + 9));
  await write(client, [history], later);
  const middle = 1_000_000_000_000n + 700n * 1000n;
  for (const statistics of ['', 'analyze']) {
    await client.query(statistics);
    const ofOrganization = await explain(client, await reading('organization', 'O1', middle));
    const ofGrant = await explain(client, await reading('grant', grants[0] ?? '', middle));
    for (const { allRows } of [ofOrganization, ofGrant]) {
      expect(allRows).toBeGreaterThan(50);
      expect(allRows).toBeLessThan(500);
    }
  }
});

/** A log of so many events: of 10 grants of O1, A1 and U1 with 100 each, and of as many of others as there is room for. */
const fill = async (events: number): Promise<void> => {
  const streams = events / 100;
  await client.query('truncate history_events, history_streams');
  await client.query(
    `insert into history_streams
     select 'grant-G' || n, n, 0, 'O' || owner, 'A' || addon, 'U' || owner
     from (select n, case when n <= 10 then 1 else 2 + n % 100 end as owner,
                  case when n <= 10 then 1 else 2 + n % 5 end as addon from generate_series(1, $1::int) n) as grants`,
    [streams],
  );
  const { rows } = await client.query<{ id: string }>(
    `select distinct unnest(array[organization_id, addon_id, user_id]) as id from history_streams`,
  );
  const ids = rows.map(({ id }) => id);
  await client.query(
    `with keys as (select * from unnest($1::text[], $2::bigint[]) as key (id, key))
     insert into history_events
     select number, place, $4::bigint + place * $5::bigint, organization.key, addon.key, person.key, place / $3, 5, ''
     from generate_series(1::bigint, $3::bigint * 100) as place
          join history_streams on number = 1 + place * 7919 % $3
          join keys as organization on organization.id = organization_id
          join keys as addon on addon.id = addon_id join keys as person on person.id = user_id`,
    [ids, ids.map(historyKey), streams, Date.UTC(2026, 0, 1), Math.floor((89 * 86_400_000) / events)],
  );
  await client.query('analyze');
};

test('HI-01: a page of a timeline reads no more in a log that is ten times as long, whatever it is about', async () => {
  await client.query('begin');
  await ensureMonths(client, await readPartitions(client), new Set(['2026-01', '2026-02', '2026-03']));
  await client.query('commit');
  for (const events of [3_000, 30_000]) {
    await fill(events);
    const read = new Map<string, number>();
    const middle = { commit: BigInt(events / 2), prepare: BigInt(events / 2) };
    for (const [kind, id] of [
      ['organization', 'O1'],
      ['addon', 'A1'],
      ['addon', 'A2'], // a fifth of all
      ['user', 'U1'],
      ['grant', 'G1'],
    ] as const)
      for (const from of [
        { order: 'forward', after: middle },
        { order: 'backward', before: middle },
      ] as const) {
        const { allRows } = await explain(
          client,
          await sentBy((reader) => makeHistoryReader(reader).references({ kind, id }, from, 30)),
        );
        read.set(`${kind} ${id} ${from.order}`, allRows);
      }
    // 30 rows to show, with the stream of each twice, and at the most one more a month
    expect([...read].filter(([, rows]) => rows < 90 || rows > 110)).toEqual([]);
  }
});
