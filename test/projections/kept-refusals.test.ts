import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { makeNewId } from '../../src/commands/kernel/new-id.ts';
import { readNetworkOf } from '../../src/http/requests/client-network.ts';
import { makeBatches, startStoring } from '../../src/projections/kernel/counts-in-batches.ts';
import { makeRefusalCollector } from '../../src/projections/usage-counts/collect-refusals.ts';
import { startKeepingRefusals, writeRefusals } from '../../src/projections/usage-counts/keep-refusals.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';
import { quietLogger } from '../support/quiet-logger.ts';

const side = await testReadModels();
afterAll(() => side.close());
const [known, other, unknown] = [
  '01JD2C4Q6S8V0X2Z4B6D8F0H2K',
  '01JD2C4Q6S8V0X2Z4B6D8F0H2M',
  '01JD2C4Q6S8V0X2Z4B6D8F0H2N',
];
beforeEach(async () => {
  await side.pool.query('truncate addon_refusals, addons');
  for (const addonId of [known, other])
    await side.pool.query(
      `insert into addons (addon_id, name, words, suspended, retired, confidential, redirect_uris, allowed_scopes, registered_at)
       values ($1, 'Doors', '{doors}', false, false, false, '[]', '[]', 0)`,
      [addonId],
    );
});

const now = Date.UTC(2026, 6, 1);
const newId = makeNewId(() => now);
const collector = (most?: number) =>
  makeRefusalCollector({ now: () => now, newId, networkOf: readNetworkOf, ...(most && { most }) });
const refused = (addonId: string, reason = 'client-secret-wrong', address = '192.0.2.77') => ({
  addonId,
  endpoint: 'token',
  reason,
  address,
});
const kept = async (addonId: string) =>
  (await side.readModels.refusals(addonId, { after: null, limit: 1_000 })).map(
    ({ reason, network }) => `${reason} ${network}`,
  );

test('FX-78: a refusal is stored once, with the network shortened, and only for an add-on that there is', async () => {
  const collected = collector();
  collected.collect(refused(known, 'code-expired', '192.0.2.77'));
  collected.collect(refused(known, 'token-reused', '2001:db8:1:2::3'));
  collected.collect(refused(known, 'pkce-missing', "'); drop table addons; --"));
  collected.collect(refused(unknown));
  const batch = collected.next()?.counted ?? [];
  await writeRefusals(side.pool, batch);
  await writeRefusals(side.pool, batch);
  expect(await kept(known)).toEqual([
    'pkce-missing null',
    'token-reused 2001:db8:1::/48',
    'code-expired 192.0.2.0/24',
  ]);
  const { rows } = await side.pool.query('select 1 from addon_refusals where addon_id = $1', [unknown]);
  expect(rows).toEqual([]);
});

test('FX-78: pages of refusals go from the newest to the oldest', async () => {
  const collected = collector();
  for (const reason of ['a', 'b', 'c']) collected.collect(refused(known, reason));
  collected.collect(refused(other));
  await writeRefusals(side.pool, collected.next()?.counted ?? []);
  const [newest, second] = await side.readModels.refusals(known, { after: null, limit: 2 });
  const rest = await side.readModels.refusals(known, { after: second?.refusalId ?? '', limit: 2 });
  expect([newest, second, ...rest].map((one) => one?.reason)).toEqual(['c', 'b', 'a']);
});

test('FX-78: a flood for one add-on, or from one network, leaves room for the others, and what is dropped is counted', () => {
  const collected = collector();
  for (let n = 0; n < 5_000; n += 1) collected.collect(refused(known));
  expect(collected.dropped()).toBe(4_900);
  for (let n = 0; n < 5_000; n += 1)
    collected.collect(refused(`${unknown}${n}`, 'too-many-requests', '198.51.100.1'));
  expect(collected.dropped()).toBe(4_900 + 4_000);
  collected.collect(refused(other, 'code-expired', '203.0.113.9'));
  collected.collect(refused(known, 'code-expired', '203.0.113.9'));
  expect(collected.dropped()).toBe(8_900);
  expect(collected.next()?.counted.slice(-2)).toMatchObject([
    { addonId: other, reason: 'code-expired' },
    { addonId: known, reason: 'code-expired' },
  ]);
  collected.stored();
  collected.collect(refused(known));
  expect(collected.next()?.counted).toHaveLength(1);
});

test('FX-78: while the database is away, so many wait and no more; they are stored when it is back', async () => {
  expectTrouble(/^warn: refusals of add-ons are not stored yet/);
  const collected = collector(3);
  const logger = quietLogger();
  const away = { query: () => Promise.reject(new Error('away')) } as never;
  collected.collect(refused(known, 'a'));
  await startKeepingRefusals({ counter: collected, pool: away, now: () => now, logger }).stop();
  for (const reason of ['b', 'c', 'd', 'e']) collected.collect(refused(known, reason));
  expect(collected.dropped()).toBe(1);
  expect(logger.lines).toHaveLength(1);
  await startKeepingRefusals({ counter: collected, pool: side.pool, now: () => now, logger }).stop();
  expect((await kept(known)).map((each) => each.slice(0, 1))).toEqual(['d', 'c', 'b', 'a']);
});

test('FX-40: the first failure of an outage is logged, and no other', async () => {
  const told: unknown[] = [];
  let [attempts, isAway, waiting] = [0, true, 0];
  const batches = makeBatches(() => Array.from({ length: waiting }, () => (waiting -= 1)));
  const storing = startStoring(
    { counter: batches, now: Date.now },
    {
      everyMs: 60_000,
      write: () => {
        attempts += 1;
        return isAway ? Promise.reject(new Error(`away ${attempts}`)) : Promise.resolve();
      },
      sweep: () => Promise.resolve(),
      failed: (error) => void told.push(error),
    },
  );
  const tryOnce = async () => {
    const before = attempts;
    waiting = 1;
    storing.soon();
    await vi.waitFor(() => expect(attempts).toBeGreaterThan(before));
    await new Promise(setImmediate);
  };
  await tryOnce();
  await tryOnce();
  isAway = false;
  await tryOnce();
  isAway = true;
  await tryOnce();
  isAway = false;
  await storing.stop();
  expect(told).toEqual([new Error('away 1'), new Error('away 5')]);
});
