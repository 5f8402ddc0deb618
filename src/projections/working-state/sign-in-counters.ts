import type { Pool, PoolClient } from 'pg';
import type { Instant } from '../../domain/kernel/decision.ts';
import {
  type CountedIn,
  type CounterName,
  type SignInCounters,
  type Attempt,
  attemptSignIn,
  type Counter,
  forgottenAt,
  unusedCounter,
} from '../../domain/sign-in/sign-in-limits.ts';
import { inPoolTransaction } from '../../common/transaction.ts';

/** Over Postgres, with a small pool of their own: a flood of attempts must not make other writes wait. */
export const makeSignInCounters = ({ pool }: { readonly pool: Pool }): SignInCounters => ({
  async count(names, now) {
    const sorted = names.toSorted((a, b) => Buffer.compare(a.key, b.key));
    const seen = attemptSignIn(await read(pool, sorted), now);
    // Most attempts of a flood end here: without a lock and without a write.
    return seen.admitted ? inPoolTransaction(pool, (client) => countLocked(client, sorted, now)) : seen;
  },
  async takeBack(counted) {
    await pool.query(takeBack, [
      counted.map(({ key }) => key),
      counted.map(({ forget }) => forget),
      counted.map(({ counter }) => counter.blockedUntil),
    ]);
  },
  async forgetAccount(account) {
    const { rowCount } = await pool.query('delete from sign_in_counters where account = $1', [account]);
    return rowCount ?? 0;
  },
});

/** Locks all rows in the order of their keys, making missing ones; the rule decides on their content. */
const countLocked = async (
  client: PoolClient,
  names: readonly CounterName[],
  now: Instant,
): Promise<Attempt<CountedIn>> => {
  const { rows } = await client.query<Row>(lock, [
    names.map(({ key }) => key),
    names.map(({ account }) => account),
  ]);
  const attempt = attemptSignIn(paired(names, rows), now);
  if (attempt.admitted) await client.query(write, columnsOf(attempt.counted));
  return attempt;
};

type Row = {
  readonly key: Buffer;
  readonly failures: number;
  readonly agesFrom: string;
  readonly blockedUntil: string;
};

const read = async (pool: Pool, names: readonly CounterName[]): Promise<readonly CountedIn[]> =>
  paired(names, (await pool.query<Row>(select, [names.map(({ key }) => key)])).rows);

const paired = (names: readonly CounterName[], rows: readonly Row[]): readonly CountedIn[] =>
  names.map((name) => {
    const row = rows.find(({ key }) => Buffer.compare(key, name.key) === 0);
    return { ...name, counter: row ? toCounter(row) : unusedCounter };
  });

const toCounter = ({ failures, agesFrom, blockedUntil }: Row): Counter => ({
  failures,
  agesFrom: Number(agesFrom),
  blockedUntil: Number(blockedUntil),
});

const columnsOf = (counted: readonly CountedIn[]) => [
  counted.map(({ key }) => key),
  counted.map(({ counter }) => counter.failures),
  counted.map(({ counter }) => counter.agesFrom),
  counted.map(({ counter }) => counter.blockedUntil),
  counted.map(({ limit, counter }) => forgottenAt(limit, counter)),
];

const columns = 'key, failures, ages_from as "agesFrom", blocked_until as "blockedUntil"';

const select = `select ${columns} from sign_in_counters where key = any($1::bytea[])`;

/** A new row is expired at once unless the same transaction sets it. The update changes nothing: it locks. */
const lock = `
  insert into sign_in_counters as counter (key, account, failures, ages_from, blocked_until, forgotten_at)
  select key, account, 0, 0, 0, 0 from unnest($1::bytea[], $2::bytea[]) as named (key, account) order by key
  on conflict (key) do update set failures = counter.failures
  returning ${columns}`;

const write = `
  update sign_in_counters as counter
  set failures = counted.failures, ages_from = counted.ages_from, blocked_until = counted.blocked_until,
      forgotten_at = counted.forgotten_at
  from unnest($1::bytea[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[])
    as counted (key, failures, ages_from, blocked_until, forgotten_at)
  where counter.key = counted.key`;

/** The block is removed only if this attempt began it: another attempt may have failed since. */
const takeBack = `
  with locked as (
    select key, forget, ended
    from sign_in_counters join unnest($1::bytea[], $2::bool[], $3::bigint[]) as given (key, forget, ended) using (key)
    order by key for update of sign_in_counters)
  update sign_in_counters as counter
  set failures = case when locked.forget then 0 else greatest(counter.failures - 1, 0) end,
      blocked_until = case when locked.forget or counter.blocked_until = locked.ended then 0 else counter.blocked_until end,
      forgotten_at = case when locked.forget then 0 else counter.forgotten_at end
  from locked where counter.key = locked.key`;
