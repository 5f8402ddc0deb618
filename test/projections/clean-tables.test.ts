import { afterAll, beforeEach, expect, test } from 'vitest';
import { keptBeyondEnd, longestAccessToken } from '../../src/domain/fence/fence-retention.ts';
import {
  startCleaningTables,
  type TableCleanerDependencies,
} from '../../src/projections/retention/clean-tables.ts';
import {
  capOf,
  caps,
  mostRefusalsOfAddon,
  mostSignIns,
  onlyForms,
  sweepBatch,
  sweeps,
} from '../../src/projections/retention/sweeps.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { issued, redeemed, revoked, tellStore } from './follow/a-story.ts';

const side = await testReadModels();
beforeEach(async () => {
  for (const { table } of sweeps) await side.pool.query(`truncate ${table}`);
});
afterAll(() => side.close());

const now = Date.UTC(2026, 6, 1);
const [minute, day] = [60_000, 86_400_000];

/** One round of a cleaner, to its end. @returns how many rows it has removed, of tables of which it has removed any */
const clean = async (changes: Partial<TableCleanerDependencies> = {}) => {
  const cleaner = startCleaningTables({
    databaseUrl: side.database.url,
    log: memoryStore(),
    now: () => now,
    logger: quietLogger(),
    everyMs: 3_600_000,
    ...changes,
  });
  await cleaner.caughtUp;
  await cleaner.stop();
  return Object.fromEntries(Object.entries(cleaner.removed()).filter(([, rows]) => rows > 0));
};

const keysIn = async (table: string, key: string) =>
  (await side.pool.query<{ key: string }>(`select ${key}::text as key from ${table} order by 1`)).rows.map(
    (row) => row.key,
  );

const uuid = (last: number) => `0b5b2f0e-7f5e-4c8a-9d53-6a6f3a1f2c1${last}`;
const counter = `insert into sign_in_counters (key, failures, ages_from, blocked_until, forgotten_at) values ($1::text::bytea, 1, 0, 0, $2)`;

/** What writes a row of a name and a moment, and for how long after the moment it stays. */
const kept: readonly [
  table: string,
  key: string,
  insert: string,
  names: readonly [string, string],
  stays: number,
][] = [
  [
    'prepared_answers',
    'id',
    `insert into prepared_answers (id, asked_by, holder, held_until, expires_at)
     values ($1, 'U1', gen_random_uuid(), 0, $2)`,
    ['a', 'b'],
    0,
  ],
  ['done_once', 'id', 'insert into done_once values ($1, $2)', ['a', 'b'], 10 * minute],
  [
    'provider_sign_ins',
    'id',
    `insert into provider_sign_ins (id, kept, expires_at) values ($1, '', $2)`,
    ['a', 'b'],
    0,
  ],
  ['sign_in_counters', 'key', counter, ['\\x61', '\\x62'], 0],
  ['silent_grants', 'key', `insert into silent_grants values ($1, '{1}', $2)`, ['a', 'b'], minute],
  ['rate_limits', 'key', 'insert into rate_limits values ($1, 1, $2)', ['a', 'b'], 10 * minute],
  ['outages', 'id', 'insert into outages values ($1::text::uuid, 1, $2)', [uuid(1), uuid(2)], day],
  [
    'session_uses',
    'session_id',
    `insert into session_uses values ($1, 'U1', 1, $2, 1)`,
    ['a', 'b'],
    30 * day,
  ],
  [
    'addon_refusals',
    'refusal_id',
    `insert into addon_refusals values ($1, 'A1', $2, 'token', 'client-secret-wrong', null)`,
    ['a', 'b'],
    7 * day,
  ],
  [
    'write_probes',
    'instance',
    'insert into write_probes values ($1, to_timestamp($2 / 1000.0))',
    ['a', 'b'],
    day,
  ],
];

test.each(kept)(
  'GR-04: a row of %s goes when it is worth nothing any more, and not before',
  async (table, key, insert, names, stays) => {
    const [old, young] = names;
    await side.pool.query(insert, [old, now - stays - 1]);
    await side.pool.query(insert, [young, now - stays + 1]);
    expect(await clean()).toEqual({ [table]: 1 });
    expect(await keysIn(table, key)).toEqual([young]);
  },
);

test('every table that is cleaned is tried here', () => {
  expect(new Set(sweeps.map(({ table }) => table))).toEqual(
    new Set([...kept.map(([table]) => table), 'fence']),
  );
});

test('FX-08: of sign-ins that are under way, in whatever networks, so many stay: the newest', async () => {
  await side.pool.query(
    `insert into provider_sign_ins (id, kept, expires_at, network)
     select 's' || n, '', $1::bigint + n, 'network ' || n from generate_series(1, $2::int) n`,
    [now + minute, mostSignIns + 3],
  );
  await side.pool.query(
    `insert into provider_sign_ins (id, kept, expires_at, subject) values ('session', '', $1, 's')`,
    [now + 1],
  );
  await side.pool.query(
    `insert into provider_sign_ins (id, kept, expires_at, network) values ('forgot i', '', $1, 'forgot network')`,
    [now + day],
  );
  expect(await clean()).toEqual({ provider_sign_ins: 3 });
  const left = await keysIn('provider_sign_ins', 'id');
  expect([left.length, left.includes('session'), left.includes('s3'), left.includes('s4')]).toEqual([
    mostSignIns + 2,
    true,
    false,
    true,
  ]);
});

test('FX-78: an add-on keeps so many refusals, and a flood of one reason makes neither it nor another lose others', async () => {
  const insert = (addonId: string, reason: string, from: number, count: number) =>
    side.pool.query(
      `insert into addon_refusals
       select lpad(n::text, 9, '0'), $1, $2, 'token', $3, '192.0.2.0/24' from generate_series($4::int, $5::int) n`,
      [addonId, now, reason, from, from + count - 1],
    );
  await insert('A1', 'code-expired', 1, 3);
  await insert('A2', 'client-secret-wrong', 10, 4);
  await insert('A1', 'client-secret-missing', 100, mostRefusalsOfAddon / 2);
  await insert('A1', 'client-secret-wrong', 10_000, 2 * mostRefusalsOfAddon);
  expect(await clean()).toEqual({ addon_refusals: mostRefusalsOfAddon * 1.5 + 3 });
  const { rows } = await side.pool.query<{ of: string; count: number; oldest: string }>(
    `select addon_id || ' ' || reason as of, count(*)::int as count, min(refusal_id) as oldest
     from addon_refusals group by 1 order by 1`,
  );
  const left = Object.fromEntries(rows.map(({ of, count }) => [of, count]));
  expect(left).toEqual({
    'A1 client-secret-missing': (mostRefusalsOfAddon - 4) / 2,
    'A1 client-secret-wrong': (mostRefusalsOfAddon - 2) / 2,
    'A1 code-expired': 3,
    'A2 client-secret-wrong': 4,
  });
  const flooded = rows.find(({ of }) => of === 'A1 client-secret-wrong');
  expect(Number(flooded?.oldest)).toBe(10_000 + 2 * mostRefusalsOfAddon - (flooded?.count ?? 0));
});

test('FX-08: every table that strangers write to has a bound, and so has one of large rows', async () => {
  expect(caps.map(({ table }) => table)).toEqual([
    'provider_sign_ins',
    'provider_sign_ins',
    'done_once',
    'sign_in_counters',
    'rate_limits',
    'addon_refusals',
    'addon_refusals',
    'prepared_answers',
  ]);
  const small = capOf('done_once', 'id', 'expires_at', 2, onlyForms);
  for (const id of ['a', 'b', 'c', 'd'])
    await side.pool.query('insert into done_once values ($1, $2)', [id, id.charCodeAt(0)]);
  await side.pool.query(`insert into done_once values ('key', 1, 'k1')`);
  await side.pool.query(small.text, [...small.values(now), sweepBatch]);
  expect(await keysIn('done_once', 'id')).toEqual(['c', 'd', 'key']);
  for (const { text, values } of caps)
    expect((await side.pool.query(text, [...values(now), 1])).rowCount).toBe(0);
});

test('§4: what an instance has counted whose clock was an hour ahead is not held against its clients for an hour', async () => {
  await side.pool.query(`insert into rate_limits values ('ahead', 9, $1), ('now', 1, $2)`, [
    now + 60 * minute,
    now + minute,
  ]);
  await clean();
  expect(await keysIn('rate_limits', 'key')).toEqual(['now']);
});

test('a busy day goes in small statements, and nobody waits for a row that is in use', async () => {
  const rows = 2 * sweepBatch + 10;
  await side.pool.query(`insert into done_once select 'i' || n, 1 from generate_series(1, $1) n`, [rows]);
  const other = await side.pool.connect();
  try {
    await other.query('begin');
    await other.query(`select from done_once where id = 'i7' for update`);
    expect(await clean()).toEqual({ done_once: rows - 1 });
  } finally {
    await other.query('rollback');
    other.release();
  }
  expect(await keysIn('done_once', 'id')).toEqual(['i7']);
});

const closed = `insert into fence (subject, revision, epoch, open) values ($1, $2, 0, false)`;

/** Later than the story's refresh tokens. */
const codeEnds = 60;

/** A log of one grant that was given back and one of which an access token was. */
const logOfGrants = async () => {
  const log = memoryStore();
  await tellStore(log, issued('G1'), redeemed('G1'), revoked('G1'), issued('G2'), redeemed('G2'), {
    stream: 'grant-G2',
    event: { type: 'AccessTokenRevoked', data: { rotation: 0, at: 1_000 } },
  });
  return log;
};
test('GR-05: a closed grant goes an hour after its last credential could, whoever has written the row', async () => {
  const log = await logOfGrants();
  await side.pool.query(closed, ['grant:G1', 2]);
  expect(await clean({ log, now: () => codeEnds + keptBeyondEnd })).toEqual({});
  expect(await clean({ log, now: () => codeEnds + keptBeyondEnd + 1 })).toEqual({ fence: 1 });
});

test('GR-05: an access token that was given back goes an hour after the longest that one lives', async () => {
  const log = await logOfGrants();
  await side.pool.query(closed, ['access:G2.0', 2]);
  const end = 1_000 + longestAccessToken;
  expect(await clean({ log, now: () => end + keptBeyondEnd })).toEqual({});
  expect(await clean({ log, now: () => end + keptBeyondEnd + 1 })).toEqual({ fence: 1 });
});

test('GR-05: what has no end stays permanently, and so does a grant of which an event cannot be read', async () => {
  const log = await logOfGrants();
  const all = ['account:U1', 'activation:O1.A1', 'addon:A1', 'consent:U1.A1', 'grant:G1'];
  for (const subject of all) await side.pool.query(closed, [subject, 2]);
  const unreadable: typeof log = {
    ...log,
    readEach: async (...asked) =>
      (await log.readEach(...asked)).map((each, index) =>
        index === 1 && each.kind === 'event'
          ? { kind: 'unreadable', event: { ...each.event, type: 'Odd' }, problem: 'nonsense' }
          : each,
      ),
  };
  expect(await clean({ log: unreadable })).toEqual({});
  expect(await keysIn('fence', 'subject')).toEqual(all);
});

test('GR-05: of a grant that is not in the log the row stays for as long as an access token may live', async () => {
  await side.pool.query(closed, ['grant:G9', 2]);
  expect(await clean()).toEqual({});
  const end = now + longestAccessToken + keptBeyondEnd;
  expect(await clean({ now: () => end })).toEqual({});
  expect(await clean({ now: () => end + 1 })).toEqual({ fence: 1 });
});
