import { afterAll, afterEach, expect, test } from 'vitest';
import type { GrantSubject } from '../../src/domain/access/grant.ts';
import {
  readEpochGrants,
  readOwnGrants,
  type GrantToEnd,
} from '../../src/projections/access/grants-to-end.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { positionOf, projectAll, scriptedLog } from '../support/log/test-projector.ts';
import {
  activated,
  issued,
  ofOrganization,
  redeemed,
  refreshed,
  revoked,
  switched,
  tell,
  withdrawn,
} from './follow/a-story.ts';

const side = await testReadModels();
afterEach(() => side.clear());
afterAll(() => side.close());

const { signal } = new AbortController();

const allOf = async (pages: AsyncIterable<readonly GrantToEnd[]>): Promise<readonly GrantToEnd[]> => {
  const all: GrantToEnd[] = [];
  for await (const page of pages) all.push(...page);
  return all;
};

const own: GrantSubject = { kind: 'user', userId: 'U1', epoch: 0 };

test("what a withdrawal ends are the user's own grants of that add-on whose code came before it", async () => {
  const log = scriptedLog();
  const told = tell(
    log,
    activated(1),
    issued('G1', own),
    redeemed('G1'),
    issued('G2'),
    issued('G3', own, 'A2'),
    issued('G4', own),
    revoked('G4'),
    withdrawn('U1', 'U1'),
    issued('G5', { ...own, epoch: 1 }),
    switched('U1', 'AccountDisabled'),
    issued('G6', { ...own, epoch: 2 }),
  );
  await projectAll(side.database.url, log);
  const ownGrants = readOwnGrants(side.reader, side);
  const idsAt = async (index: number, addonId: string | null, userId = 'U1') => {
    const upTo = told[index]?.position ?? positionOf(0);
    return (await allOf(ownGrants({ userId, addonId, upTo }, signal))).map(({ grantId }) => grantId);
  };
  expect(await idsAt(7, 'A1')).toEqual(['G1']);
  expect(await idsAt(7, 'A2')).toEqual(['G3']);
  expect(await idsAt(9, null)).toEqual(['G1', 'G3', 'G5']);
  expect(await idsAt(9, null, 'U2')).toEqual([]);
});

const epoch1 = { organizationId: 'O1', addonId: 'A1', epoch: 1 };
const ended1 = { ...epoch1, at: 1 };

test('DE-04: of an epoch, what has not ended is listed with where its stream ends, and what the deactivation ended is counted', async () => {
  const log = scriptedLog();
  const told = tell(
    log,
    activated(1),
    issued('G1'),
    issued('G2'),
    redeemed('G2'),
    issued('G3'),
    redeemed('G3'),
    refreshed('G3', 1),
    issued('G4'),
    issued('G5'),
    issued('H1', ofOrganization(2)),
    issued('H2', ofOrganization(1, 'O2')),
    issued('H3', ofOrganization(), 'A2'),
    issued('H4', own),
    revoked('G4'),
    revoked('G5', 'addon-deactivated'),
  );
  await projectAll(side.database.url, log);
  const grants = readEpochGrants(side.reader, { log, progress: side.progress });
  expect(await allOf(grants.live(epoch1, signal))).toEqual(
    [
      ['G1', 0],
      ['G2', 1],
      ['G3', 2],
    ].map(([grantId, revision]) => ({ grantId, revision: BigInt(revision ?? 0) })),
  );
  for (const { grantId, revision } of await allOf(grants.live(epoch1, signal)))
    expect(told.findLast(({ stream }) => stream === `grant-${grantId}`)?.revision).toBe(revision);
  expect(await grants.countEnded(ended1, null, signal)).toBe(1);
});

test('FX-95: neither grants nor codes count as ended by a deactivation that had expired before it', async () => {
  const log = scriptedLog();
  const ids = ['G1', 'G2', 'G3'];
  // A code is valid until 60, what the others hold until 2.
  tell(log, activated(1), ...ids.map((id) => issued(id)), redeemed('G2'), redeemed('G3'), refreshed('G3', 1));
  tell(log, ...ids.map((id) => revoked(id, 'addon-deactivated')));
  await projectAll(side.database.url, log);
  const grants = readEpochGrants(side.reader, { log, progress: side.progress });
  const countAt = (at: number) => grants.countEnded({ ...epoch1, at }, null, signal);
  expect(await Promise.all([1, 2, 59, 60].map(countAt))).toEqual([3, 1, 1, 0]);
});

test('DE-04: the count holds everything up to where it is asked for', async () => {
  const log = scriptedLog();
  tell(log, activated(1), issued('G1'), issued('G2'));
  // Beyond whatever the tests before have come to: what was heard of them may still be remembered.
  tell(log, ...Array.from({ length: 50 }, (_, n) => issued(`F${n}`)));
  await projectAll(side.database.url, log);
  const [, last] = tell(log, revoked('G1', 'addon-deactivated'), revoked('G2', 'addon-deactivated'));
  const grants = readEpochGrants(side.reader, { log, progress: side.progress });
  const counted = grants.countEnded(ended1, last?.position ?? null, signal);
  await projectAll(side.database.url, log);
  expect(await counted).toBe(2);
});

test('a great many come in pages, none twice and none left out, and are counted in pieces', async () => {
  await side.pool.query(`
    insert into grants (grant_id, addon_id, user_id, organization_id, epoch, scopes, status, rotation, issued_at, issued_position, expires_at, ended_reason)
    select 'G' || lpad(n::text, 6, '0'), 'A1', 'U1', 'O1', 1, '[]', case when n % 10 = 0 then 'redeemed' else 'ended' end, 0, n, n, 9007199254740991,
           case when n % 10 <> 0 then 'addon-deactivated' end
    from generate_series(1, 25000) as n`);
  const log = scriptedLog();
  const grants = readEpochGrants(side.reader, { log, progress: side.progress });
  const sizes: number[] = [];
  const seen = new Set<string>();
  for await (const page of grants.live(epoch1, signal)) {
    sizes.push(page.length);
    for (const { grantId } of page) seen.add(grantId);
  }
  expect(sizes).toEqual([1000, 1000, 500]);
  expect(seen.size).toBe(2500);
  expect(await grants.countEnded(ended1, null, signal)).toBe(22_500);
});

test('pages and counts are found by an index, wherever they begin', async () => {
  const plans: string[] = [];
  const reader: typeof side.reader = {
    ...side.reader,
    query: async ({ text }, values) => {
      await side.pool.query('set enable_seqscan = off');
      const { rows } = await side.pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [...values]);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
      return [];
    },
  };
  const grants = readEpochGrants(reader, { log: scriptedLog(), progress: side.progress });
  await allOf(grants.live(epoch1, signal));
  await grants.countEnded(ended1, null, signal);
  const holds = { progress: { ...side.progress, waitFor: () => Promise.resolve(true) } };
  await allOf(readOwnGrants(reader, holds)({ userId: 'U1', addonId: null, upTo: positionOf(1) }, signal));
  const wanted = ['grants_to_end', 'grants_ended_by_deactivation', 'own_grants_to_end'];
  for (const [index, name] of wanted.entries()) {
    expect(plans[index]).toMatch(new RegExp(`Index (Only )?Scan using ${name} `));
    expect(plans[index]).not.toContain('Sort');
  }
});
