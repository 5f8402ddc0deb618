import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { history } from '../../src/projections/history.ts';
import { makeHistoryReader } from '../../src/projections/read-history.ts';
import { readModelProjections } from '../../src/projections/read-model-projections.ts';
import { explain, sentBy } from '../support/explained.ts';
import { testReadModels, type TestReadModels } from '../support/read-models.ts';
import { issued, redeemed, refreshed } from './a-story.ts';
import { monthsTold, write } from './months-told.ts';

let side: TestReadModels;
let client: pg.Client;
beforeAll(async () => {
  side = await testReadModels();
  client = new pg.Client({ connectionString: side.database.url });
  await client.connect();
});
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

test('HI-04: a refresh leaves one row and 230 bytes at most in all tables that follow the log', async () => {
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
  expect(((await bytes()) - before) / (refreshes.length - 10)).toBeLessThan(230);
  const { rows } = await client.query<{ rows: number }>(
    'select ((select count(*) from history_events) + (select count(*) from history_references))::int as rows',
  );
  expect(rows[0]?.rows).toBe(grants.length * 2 + refreshes.length);
});

test('HI-04: a page of a timeline reads what it shows and as much again from each month, wherever it is', async () => {
  const reading = (kind: 'organization' | 'grant', id: string, commit: bigint) =>
    sentBy((lane) =>
      makeHistoryReader(lane).references(
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
