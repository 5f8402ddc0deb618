import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { history } from '../../src/projections/history/history.ts';
import { makeHistoryReader } from '../../src/projections/history/read-history.ts';
import { administrator, issued, redeemed, refreshed } from '../projections/follow/a-story.ts';
import { monthsTold, write } from '../projections/follow/months-told.ts';
import { testReadModels, type TestReadModels } from '../support/log/read-models.ts';
import { runGrantbook } from './run-grantbook.ts';

const dir = mkdtempSync(join(tmpdir(), 'grantbook-history-'));
const fileOf = (month: string) => join(dir, `history-${month}.jsonl`);
let side: TestReadModels;
let client: pg.Client;

/** January to April; in each a refresh and a new administrator. */
beforeAll(async () => {
  side = await testReadModels();
  client = new pg.Client({ connectionString: side.database.url });
  await client.connect();
  const { recorded } = monthsTold();
  await write(client, [history], [recorded(issued('G1'), 0, 0), recorded(redeemed('G1'), 1, 0)]);
  const months = [0, 1, 2, 3].flatMap((month) => [
    recorded(refreshed('G1', month + 1), month + 2, month),
    recorded(administrator('O1', `U${month}`), month, month),
  ]);
  await write(client, [history], months);
});
afterAll(async () => {
  await client.end();
  await side.close();
  rmSync(dir, { recursive: true });
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

test('HI-04: a month is archived into a file, and attached again with the same rows', async () => {
  const before = await side.dump();
  expect(await statesOf()).toEqual([
    '2026-01 attached',
    '2026-02 attached',
    '2026-03 attached',
    '2026-04 attached',
  ]);
  const { exitCode, json } = await run(['archive', '--month', '2026-01', '--dir', dir]);
  expect(exitCode).toBe(0);
  const lines = readFileSync(fileOf('2026-01'), 'utf8').split('\n');
  expect(json['archives']).toEqual([
    {
      month: '2026-01',
      file: fileOf('2026-01'),
      events: 3,
      references: 2,
      sha256: createHash('sha256')
        .update(`${lines.slice(0, -2).join('\n')}\n`)
        .digest('hex'),
    },
  ]);
  expect((await statesOf())[0]).toBe('2026-01 archived');
  expect(await typesOf()).toHaveLength(6);
  expect(await typesOf(['AuthorizationCodeIssued'])).toEqual(['AuthorizationCodeIssued']);
  expect(await makeHistoryReader(side.reader).archivedMonths()).toMatchObject([{ month: '2026-01' }]);

  expect((await run(['attach', fileOf('2026-01')])).json).toMatchObject({ month: '2026-01', events: 3 });
  expect(await side.dump()).toEqual(before);
  expect(await makeHistoryReader(side.reader).archivedMonths()).toEqual([]);
  rmSync(fileOf('2026-01'));
});

test('HI-04: without a month those are taken that are older than HISTORY_RETENTION_DAYS, each into its file', async () => {
  expect((await run(['archive', '--dir', dir])).exitCode).toBe(2);
  const env = {
    HISTORY_RETENTION_DAYS: String(Math.floor((Date.now() - Date.UTC(2026, 2, 2)) / 86_400_000)),
  };
  const { json } = await run(['archive', '--dir', dir], env);
  expect((json['archives'] as readonly { month: string }[]).map(({ month }) => month)).toEqual([
    '2026-01',
    '2026-02',
  ]);
  expect(readdirSync(dir).toSorted()).toEqual(['history-2026-01.jsonl', 'history-2026-02.jsonl']);
  for (const month of ['2026-01', '2026-02']) expect((await run(['attach', fileOf(month)])).exitCode).toBe(0);
});

test.each([
  ['a month that may go on', ['archive', '--month', '2026-04'], [1, 'month-not-over']],
  ['a month without history', ['archive', '--month', '2025-12'], [1, 'month-unknown']],
  ['what is no month', ['archive', '--month', '2026-13'], [2, 'usage']],
  ['two ways to say which', ['archive', '--month', '2026-01', '--before', '2026-03-01'], [2, 'usage']],
  ['a file that is there', ['archive', '--month', '2026-01'], [1, 'file-exists']],
  ['a file that is not there', ['attach', 'nothing.jsonl'], [1, 'file']],
  ['a month that is attached', ['attach', fileOf('2026-01')], [1, 'month-attached']],
])('HI-04: %s is refused', async (_what, args, refused) => {
  const where = args[0] === 'archive' ? ['--dir', dir] : [];
  expect(await codeOf([...args, ...where])).toEqual(refused);
  expect(await statesOf()).toContain('2026-01 attached');
});

const whole = (text: string) => {
  const sha256 = createHash('sha256').update(text).digest('hex');
  return `${text}${JSON.stringify({ sha256 })}\n`;
};
const bodyOf = (text: string) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);

test.each([
  ['a number changed', (text: string) => text.replace('"U0"', '"U9"'), 'archive-changed'],
  ['the end cut off', (text: string) => text.slice(0, -40), 'archive-incomplete'],
  ['a row taken out', (text: string) => text.replace(/\n[^\n]+/, ''), 'archive-changed'],
  ['more behind its end', (text: string) => `${text}{}\n`, 'archive-changed'],
  ['the digest made anew', (text: string) => whole(bodyOf(text.replace('"U0"', '"U9"'))), 'archive-changed'],
  [
    'a row of another month',
    (text: string) => whole(bodyOf(text.replace(/"17\d{11}"/, '"1"'))),
    'archive-changed',
  ],
  ['another format', () => '{"format":"other"}\n', 'not-an-archive'],
  ['nothing in it', () => '', 'archive-incomplete'],
])('HI-04: an archive with %s is refused, and nothing of it is attached', async (_what, change, code) => {
  rmSync(fileOf('2026-01'), { force: true });
  expect((await run(['archive', '--month', '2026-01', '--dir', dir])).exitCode).toBe(0);
  const archived = await side.dump();
  const good = readFileSync(fileOf('2026-01'), 'utf8');
  const changed = join(dir, 'changed.jsonl');
  writeFileSync(changed, change(good));
  expect(await codeOf(['attach', changed])).toEqual([1, code]);
  expect(await side.dump()).toEqual(archived);
  expect((await run(['attach', fileOf('2026-01')])).exitCode).toBe(0);
});

test('HI-04: while a month is archived it is neither archived again nor written anew, and a missing partition is said', async () => {
  rmSync(fileOf('2026-02'), { force: true });
  await run(['archive', '--month', '2026-02', '--dir', dir]);
  expect(await codeOf(['archive', '--month', '2026-02', '--dir', dir])).toEqual([1, 'month-archived']);
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
