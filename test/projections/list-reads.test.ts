import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { readNetworkOf } from '../../src/http/requests/client-network.ts';
import { erasures } from '../../src/projections/people/erasures.ts';
import { makeReadCounter, type ReadCounterOptions } from '../../src/projections/read-counts/count-reads.ts';
import { startKeepingReads, dropOldReads } from '../../src/projections/read-counts/keep-reads.ts';
import { makeListReads } from '../../src/projections/read-counts/read-reads.ts';
import { writeReads } from '../../src/projections/read-counts/write-reads.ts';
import type { ListRead } from '../../src/projections/read-counts/list-read.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { monthsTold, write } from './follow/months-told.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

const side = await testReadModels();
afterEach(() => side.pool.query('truncate list_reads, list_read_batches, subject_keys'));
afterAll(() => side.close());

const hour = 3_600_000;
const day = 24 * hour;
const noon = Date.parse('2026-11-21T12:00:00.000Z');

const read = (changes: Partial<ListRead> = {}): ListRead => ({
  grantId: 'GRANT',
  userId: 'ADA',
  list: 'profiles',
  records: 25,
  address: '10.1.2.3',
  ...changes,
});

/** A counter that a test sets the clock of, with its way to the database. */
const counting = (options: Partial<ReadCounterOptions> = {}) => {
  const clock = { now: noon };
  const counter = makeReadCounter({ now: () => clock.now, networkOf: readNetworkOf, ...options });
  const needs = { counter, pool: side.pool, now: () => clock.now, logger: quietLogger(), days: 400 };
  return {
    clock,
    counter,
    needs,
    store: () => startKeepingReads(needs).stop(),
    reads: readsBy(() => clock.now),
  };
};

const readsBy = (now: () => number) => {
  const reads = makeListReads(side.reader, { now, days: 400 });
  const readsOf = async (grantIds: readonly string[], window: { from: number; to: number }) =>
    (await reads.readsOf(grantIds, window)).reads;
  return { ...reads, readsOf, partOf: reads.readsOf };
};

const all = { from: 0, to: Date.parse('2100-01-01') };
const textOf = (instant: number) => new Date(instant).toISOString();

describe('HI-05: what is read of lists', () => {
  test('HI-05: is counted by grant, list and hour, with its networks', async () => {
    const { clock, counter, store, reads } = counting();
    counter.count(read());
    clock.now = noon + 61_500;
    counter.count(read({ records: 3, address: '2001:db8:7:8:9::1' }));
    counter.count(read({ list: 'access-rights', records: 0, address: '::ffff:192.0.2.77' }));
    counter.count(read({ grantId: 'OTHER' }));
    clock.now = noon + hour;
    counter.count(read({ address: '10.1.2.200' }));
    await store();
    expect(
      (await reads.readsOf(['GRANT'], all)).map((one) => ({
        ...one,
        from: textOf(one.from),
        until: textOf(one.until),
      })),
    ).toEqual([
      {
        grantId: 'GRANT',
        list: 'access-rights',
        pages: 1,
        records: 0,
        networks: ['192.0.2.0/24'],
        from: '2026-11-21T12:01:01.000Z',
        until: '2026-11-21T12:01:01.000Z',
      },
      {
        grantId: 'GRANT',
        list: 'profiles',
        pages: 2,
        records: 28,
        networks: ['10.1.2.0/24', '2001:db8:7::/48'],
        from: '2026-11-21T12:00:00.000Z',
        until: '2026-11-21T12:01:01.000Z',
      },
      {
        grantId: 'GRANT',
        list: 'profiles',
        pages: 1,
        records: 25,
        networks: ['10.1.2.0/24'],
        from: '2026-11-21T13:00:00.000Z',
        until: '2026-11-21T13:00:00.000Z',
      },
    ]);
    expect(await reads.partOf(['GRANT'], { ...all, skip: 1, limit: 1 })).toMatchObject({
      reads: [{ list: 'profiles', from: noon }],
      inAll: 3,
    });
    expect(await reads.readsOf(['GRANT'], { from: noon + hour + 1000, to: noon + 9 * hour })).toEqual([]);
    expect(await reads.lastReads(['GRANT', 'OTHER', 'NEVER'])).toEqual(
      new Map([
        ['GRANT', noon + hour],
        ['OTHER', noon + 61_500],
      ]),
    );
  });

  test('HI-05: of several instances and of one hour written piece by piece are added up', async () => {
    const [one, other] = [counting(), counting()];
    one.clock.now = noon + 100_000;
    for (const address of ['10.1.2.3', '10.1.3.3']) one.counter.count(read({ address }));
    await one.store();
    other.counter.count(read({ address: '10.1.3.9' }));
    await other.store();
    one.clock.now = noon - 3 * hour; // an hour before those that are there, counted late
    one.counter.count(read());
    await one.store();
    const kept = await one.reads.readsOf(['GRANT'], all);
    expect(kept.map(({ pages, records, networks }) => ({ pages, records, networks }))).toEqual([
      { pages: 1, records: 25, networks: ['10.1.2.0/24'] },
      { pages: 3, records: 75, networks: ['10.1.2.0/24', '10.1.3.0/24'] },
    ]);
    expect(kept.map(({ from, until }) => [from - noon, until - noon])).toEqual([
      [-3 * hour, -3 * hour],
      [0, 100_000],
    ]);
    const { rows } = await side.pool.query('select count(*)::int as rows from list_reads');
    expect(rows).toEqual([{ rows: 1 }]);
  });

  test('HI-05: is added once, also when the answer was lost and the batch is sent again', async () => {
    const { counter, store, reads } = counting();
    counter.count(read());
    await store(); // which makes the month
    counter.count(read());
    const batch = counter.next();
    const process = randomUUID();
    if (!batch) throw new Error('nothing to send');
    await writeReads(side.pool, process, batch);
    expect(counter.next(), 'until it is known to be stored').toBe(batch);
    await writeReads(side.pool, process, batch);
    counter.stored();
    expect(counter.next()).toBeNull();
    expect(await reads.readsOf(['GRANT'], all)).toMatchObject([{ pages: 2 }]);
  });

  test('HI-05: waits in memory while the database does not accept writes, and at a clean stop says what it lost', async () => {
    expectTrouble(/counts of reads are not stored yet .*away/);
    const { counter, needs, store, reads } = counting();
    const lines: object[] = [];
    const logger = { ...quietLogger(), error: (context: object) => void lines.push(context) };
    counter.count(read());
    const away = Object.assign(Object.create(side.pool) as typeof side.pool, {
      connect: () => Promise.reject(new Error('away')),
      query: () => Promise.reject(new Error('away')),
    });
    await startKeepingReads({ ...needs, logger, pool: away }).stop();
    expect(lines).toEqual([{ pages: 1 }]);
    counter.count(read());
    await store();
    expect(await reads.readsOf(['GRANT'], all)).toMatchObject([{ pages: 2, records: 50 }]);
    lines.length = 0;
    await startKeepingReads({ ...needs, logger, pool: away }).stop();
    expect(lines, 'with nothing left to store').toEqual([]);
  });

  test('HI-05: at the bound of memory the list goes on to be counted, without the grant', async () => {
    let filling = 0;
    const { counter, store, reads } = counting({ most: 2 });
    counter.onFilling(() => (filling += 1));
    for (const grantId of ['A', 'B', 'C', 'C', 'A']) counter.count(read({ grantId }));
    expect([counter.unattributed(), filling]).toEqual([2, 1]);
    await store();
    expect(await reads.readsOf(['A', 'B', 'C'], all)).toMatchObject([
      { grantId: 'A', pages: 2 },
      { grantId: 'B', pages: 1 },
    ]);
    expect(await reads.unattributedPages(all)).toBe(2);
    counter.count(read({ grantId: 'C' }));
    await store();
    expect(await reads.readsOf(['C'], all), 'there is room again').toMatchObject([{ pages: 1 }]);
  });

  test('HI-05: many networks are distinguished up to a bound, which is shown', async () => {
    const { counter, store, reads } = counting();
    for (let i = 0; i < 20; i += 1) counter.count(read({ address: `10.0.${i}.1` }));
    await store();
    const [kept] = await reads.readsOf(['GRANT'], all);
    expect(kept?.networks).toHaveLength(9);
    expect(kept?.networks).toContain('others');
    expect(kept?.pages).toBe(20);
  });

  test('HI-05: after an erasure it is anonymous: what is stored, and what is stored later', async () => {
    const { counter, store, reads } = counting();
    counter.count(read());
    counter.count(read({ grantId: 'OF-EVE', userId: 'EVE' }));
    await store();
    counter.count(read());
    const erased = monthsTold().recorded(
      { stream: 'account-ADA', event: { type: 'AccountErased', data: { at: 1 } } },
      9,
    );
    const client = new pg.Client({ connectionString: side.database.url });
    await client.connect();
    await write(client, [erasures], [erased]);
    await client.end();
    await store();
    expect(await reads.readsOf(['GRANT', 'OF-EVE'], all)).toMatchObject([
      { grantId: 'GRANT', pages: 2, records: 50, networks: [] },
      { grantId: 'OF-EVE', pages: 1, networks: ['10.1.2.0/24'] },
    ]);
  });

  test('HI-05: is dropped by months, when the last day is as old as configured', async () => {
    const { clock, counter, store, reads } = counting();
    counter.count(read());
    await store();
    clock.now = Date.parse('2026-12-01T00:00:00.000Z') + 9 * day;
    const drop = (days: number) => dropOldReads(side.pool, { now: clock.now, days });
    expect(await drop(10)).toEqual([]);
    expect(await reads.readsOf(['GRANT'], all)).toHaveLength(1);
    expect(await drop(9)).toEqual(['2026-11']);
    expect(await reads.readsOf(['GRANT'], all)).toEqual([]);
    clock.now = noon;
    counter.count(read());
    await store();
    expect(await reads.readsOf(['GRANT'], all), 'the month is made again').toHaveLength(1);
  });

  test('since when it is counted is known', async () => {
    const { clock, reads } = counting();
    clock.now = Date.now();
    const since = await reads.countedSince();
    expect(since).toBeLessThanOrEqual(clock.now);
    expect(since).toBeGreaterThan(clock.now - day);
    clock.now += 1000 * day;
    expect(await reads.countedSince()).toBe(clock.now - 400 * day);
  });
});

test('HI-04: an hour of reads costs 40 bytes at most, and no row of its own', async () => {
  const { clock, counter, store } = counting();
  const grants = Array.from({ length: 50 }, () => randomUUID().slice(0, 26).toUpperCase());
  const bytes = async () => {
    await side.pool.query('vacuum full list_reads_2026_11');
    const { rows } = await side.pool.query<{ bytes: number }>(
      `select pg_total_relation_size('list_reads_2026_11')::float8 as bytes`,
    );
    return rows[0]?.bytes ?? NaN;
  };
  const hours = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) {
      clock.now = Date.parse('2026-11-02') + at * hour;
      for (const grantId of grants) counter.count(read({ grantId, userId: grantId }));
    }
    return store();
  };
  await hours(0, 24);
  const before = await bytes();
  await hours(24, 6 * 24);
  // While another connection has a transaction open, what was there when it began is not taken away.
  const anHour = async () => ((await bytes()) - before) / (5 * 24 * grants.length);
  await expect.poll(anHour).toBeLessThan(40);
  const { rows } = await side.pool.query('select count(*)::int as rows from list_reads');
  expect(rows).toEqual([{ rows: grants.length * 6 }]);
});
