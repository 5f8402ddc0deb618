import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { history } from '../../src/projections/history/history.ts';
import { makeHistoryReader } from '../../src/projections/history/read-history.ts';
import { administrator, issued, redeemed, refreshed } from '../projections/follow/a-story.ts';
import { monthsTold, write } from '../projections/follow/months-told.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { runGrantbook } from './run-grantbook.ts';

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

test('HI-04: a month is dropped with its partitions; who issued a grant stays known', async () => {
  expect(await statesOf()).toEqual(['01', '02', '03', '04'].map((month) => `2026-${month} attached`));
  expect(await run(['drop', '2026-01'])).toMatchObject({ exitCode: 0, json: { dropped: ['2026-01'] } });
  expect((await statesOf())[0]).toBe('2026-01 dropped');
  expect(await typesOf()).toHaveLength(6);
  expect(await typesOf(['AuthorizationCodeIssued'])).toEqual(['AuthorizationCodeIssued']);
  expect(await makeHistoryReader(side.reader).droppedMonths()).toMatchObject([{ month: '2026-01' }]);
});

test('HI-04: without a month those are dropped that are older than HISTORY_RETENTION_DAYS', async () => {
  expect(await codeOf(['drop'])).toEqual([2, 'usage']);
  const days = Math.floor((Date.now() - Date.UTC(2026, 2, 2)) / 86_400_000);
  const { json } = await run(['drop'], { HISTORY_RETENTION_DAYS: String(days) });
  expect(json['dropped']).toEqual(['2026-02']);
});

test.each([
  ['a month that is not the oldest', '2026-04', [1, 'earlier-month']],
  ['a month without history', '2025-12', [1, 'month-unknown']],
  ['what is no month', '2026-13', [2, 'usage']],
  ['a month that is dropped', '2026-02', [1, 'month-dropped']],
])('HI-04: %s is refused', async (_what, month, refused) => {
  expect(await codeOf(['drop', month])).toEqual(refused);
  expect(await statesOf()).toContain('2026-03 attached');
});

test('HI-04: of a month that somebody has dropped by half, the rest is dropped; one that may go on is not', async () => {
  await client.query('drop table history_references_2026_03');
  expect(await statesOf()).toContain('2026-03 incomplete');
  expect(await codeOf(['drop', '2026-03'])).toEqual([0, undefined]);
  expect(await codeOf(['drop', '2026-04'])).toEqual([1, 'month-not-over']);
  expect((await statesOf()).at(-1)).toBe('2026-04 attached');
});
