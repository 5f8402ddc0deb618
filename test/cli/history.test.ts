import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { archiveMonth } from '../../src/projections/history/archives/archive-month.ts';
import { history } from '../../src/projections/history/history.ts';
import { makeHistoryReader } from '../../src/projections/history/read-history.ts';
import { administrator, issued, redeemed, refreshed } from '../projections/follow/a-story.ts';
import { monthsTold, write } from '../projections/follow/months-told.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runGrantbook } from './run-grantbook.ts';

const dir = temporaryFolder();
const fileOf = (month: string) => join(dir, `history-${month}.json`);

/** January to April; in each a refresh and a new administrator. */
const side = await testReadModels();
const client = new pg.Client({ connectionString: side.database.url });
await client.connect();
const { recorded } = monthsTold();
await write(client, [history], [recorded(issued('G1'), 0, 0), recorded(redeemed('G1'), 1, 0)]);
const months = [0, 1, 2, 3].flatMap((month) => [
  recorded(refreshed('G1', month + 1), month + 2, month),
  recorded(administrator('O1', `U${month}`), month, month),
]);
await write(client, [history], months);
afterAll(async () => {
  await client.end();
  await side.close();
});

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runGrantbook(['history', ...args, '--json'], {
    env,
    openServers: () =>
      Promise.resolve({
        databaseUrl: side.database.url,
        eventStoreUrl: '',
        baseUrl: null,
        close: () => Promise.resolve(),
      }),
  });
const codeOf = async (args: readonly string[]) => {
  const { exitCode, json } = await run(args);
  return [exitCode, (json['error'] as { readonly code: string } | undefined)?.code];
};
const statesOf = async () =>
  (
    (await run(['status'])).json['items'] as readonly { readonly month: string; readonly state: string }[]
  ).map(({ month, state }) => `${month} ${state}`);
const typesOf = async (eventTypes?: readonly ['AuthorizationCodeIssued']) =>
  (
    await makeHistoryReader(side.reader).references(
      { kind: 'organization', id: 'O1' },
      { order: 'forward', after: null },
      100,
      eventTypes && { eventTypes },
    )
  ).map(({ type }) => type);

type Manifest = {
  readonly month: string;
  readonly tables: readonly {
    readonly table: string;
    readonly file: string;
    readonly columns: readonly string[];
    readonly rows: number;
    readonly sha256: string;
  }[];
};
const sha256Of = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** The rows of a month in the database, and of an archive that is loaded by COPY into a table of its own. */
const rowsOf = async (table: string, columns: readonly string[]) =>
  (await client.query(`select ${columns.join(', ')} from ${table} order by ${columns.join(', ')}`)).rows;
const rowsIn = async ({ table, file, columns }: Manifest['tables'][number]) => {
  await client.query(`create temporary table looked_at (like ${table})`);
  const into = client.query(copyFrom(`copy looked_at (${columns.join(', ')}) from stdin`));
  await pipeline(createReadStream(join(dir, file)), into);
  const rows = await rowsOf('looked_at', columns);
  await client.query('drop table looked_at');
  return rows;
};

test('HI-04: a month is archived as COPY files with a manifest, which any PostgreSQL reads', async () => {
  expect(await statesOf()).toEqual([
    '2026-01 attached',
    '2026-02 attached',
    '2026-03 attached',
    '2026-04 attached',
  ]);
  const columns = ['position', 'type', 'actor'];
  const before = await Promise.all(
    ['history_events', 'history_references'].map((table) => rowsOf(`${table}_2026_01`, columns)),
  );
  const { exitCode, json } = await run(['archive', '--month', '2026-01', '--dir', dir]);
  expect([exitCode, json['archives']]).toEqual([
    0,
    [
      {
        month: '2026-01',
        file: fileOf('2026-01'),
        events: 3,
        references: 2,
        sha256: sha256Of(fileOf('2026-01')),
      },
    ],
  ]);
  const { month, tables } = JSON.parse(readFileSync(fileOf('2026-01'), 'utf8')) as Manifest;
  expect([month, tables.map(({ table, rows }) => [table, rows])]).toEqual([
    '2026-01',
    [
      ['history_events', 3],
      ['history_references', 2],
    ],
  ]);
  for (const [index, told] of tables.entries()) {
    expect(told.sha256).toBe(sha256Of(join(dir, told.file)));
    const loaded = await rowsIn(told);
    expect(loaded).toHaveLength(told.rows);
    expect(loaded.map((row) => JSON.stringify(columns.map((name) => row[name]))).toSorted()).toEqual(
      (before[index] ?? []).map((row) => JSON.stringify(columns.map((name) => row[name]))).toSorted(),
    );
  }
  expect((await statesOf())[0]).toBe('2026-01 archived');
  expect(await typesOf()).toHaveLength(6);
  expect(await typesOf(['AuthorizationCodeIssued'])).toEqual(['AuthorizationCodeIssued']);
  expect(await makeHistoryReader(side.reader).archivedMonths()).toMatchObject([{ month: '2026-01' }]);
});

test('HI-04: without a month those are taken that are older than HISTORY_RETENTION_DAYS, each into its files', async () => {
  expect((await run(['archive', '--dir', dir])).exitCode).toBe(2);
  const env = {
    HISTORY_RETENTION_DAYS: String(Math.floor((Date.now() - Date.UTC(2026, 2, 2)) / 86_400_000)),
  };
  const { json } = await run(['archive', '--dir', dir], env);
  expect((json['archives'] as readonly { month: string }[]).map(({ month }) => month)).toEqual(['2026-02']);
  expect(readdirSync(dir).toSorted()).toEqual(
    ['2026-01', '2026-02'].flatMap((month) =>
      ['history_events.copy', 'history_references.copy', 'json'].map((end) => `history-${month}.${end}`),
    ),
  );
});

test.each([
  ['a month that may go on', ['archive', '--month', '2026-04'], [1, 'month-not-over']],
  ['a month without history', ['archive', '--month', '2025-12'], [1, 'month-unknown']],
  ['what is no month', ['archive', '--month', '2026-13'], [2, 'usage']],
  ['two ways to say which', ['archive', '--month', '2026-01', '--before', '2026-03-01'], [2, 'usage']],
  ['a month that is archived', ['archive', '--month', '2026-02'], [1, 'month-archived']],
  ['an archive that is there', ['archive', '--month', '2026-03'], [1, 'file-exists']],
])('HI-04: %s is refused', async (_what, args, refused) => {
  const there = join(dir, 'history-2026-03.json');
  writeFileSync(there, '{}');
  expect(await codeOf([...args, '--dir', dir])).toEqual(refused);
  expect(await statesOf()).toContain('2026-03 attached');
  for (const end of ['json', 'history_events.copy', 'history_references.copy'])
    rmSync(join(dir, `history-2026-03.${end}`), { force: true });
});

test('HI-04: a month that changes while it is written stays in the database', async () => {
  const [tx, source] = await Promise.all([side.pool.connect(), side.pool.connect()]);
  const late = `insert into history_references (kind, id, position, created, stream, revision, type, actor)
    select kind, id, position + 1, created, stream, 9999, type, actor from history_references_2026_03 limit 1`;
  const write = async <T>(file: string, parts: AsyncGenerator<unknown, T> | Generator<unknown, T>) => {
    let part = await parts.next();
    while (part.done !== true) part = await parts.next();
    if (file.endsWith('.json')) await client.query(late);
    return part.value;
  };
  onTestFinished(() => [tx, source].forEach((held) => held.release()));
  const archiving = archiveMonth({ tx, source, write, now: Date.now }, '2026-03', dir);
  await expect(archiving).rejects.toMatchObject({ code: 'month-not-over' });
  await client.query('delete from history_references where revision = 9999');
  expect(await statesOf()).toContain('2026-03 attached');
});

test('HI-04: an archived month is not written anew, and a missing partition is said', async () => {
  await client.query('drop table history_references_2026_03');
  expect(await statesOf()).toContain('2026-03 incomplete');
  expect(await codeOf(['archive', '--month', '2026-03', '--dir', dir])).toEqual([1, 'partition-missing']);
  const { recorded } = monthsTold(1, 500);
  await write(
    client,
    [history],
    [recorded(refreshed('G1', 77), 77, 1), recorded(refreshed('G1', 78), 78, 3)],
  );
  expect(await statesOf()).toContain('2026-02 archived');
  const { rows } = await client.query('select from history_events where revision in (77, 78)');
  expect(rows).toHaveLength(1);
});
