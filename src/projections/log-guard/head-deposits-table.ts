import type { QueryResultRow } from 'pg';
import { statement } from '../../common/transaction.ts';
import type { Named } from '../database/pipelined-reader.ts';

type Target = 'directory' | 'topic' | 'timestamp';
type Head = { readonly revision: bigint; readonly size: number; readonly at: number };

/** One head at one target. Times are milliseconds since the Unix epoch. */
export type Deposit = {
  readonly revision: bigint;
  readonly size: number;
  readonly signedAt: number;
  readonly target: Target;
  /** Null while it is pending. */
  readonly depositedAt: number | null;
  readonly attempts: number;
  readonly lastError: string | null;
};

/** For each target: how many heads wait after a failure, and when the newest one was deposited. */
export type DepositCount = {
  readonly target: Target;
  readonly waiting: number;
  readonly newestAt: number | null;
};

export type DepositTable = ReturnType<typeof makeDepositTable>;

type Query = <R extends QueryResultRow>(
  statement: Named,
  values: readonly unknown[],
) => Promise<readonly R[]>;

/** The statements may be sent twice; only the number of attempts would be wrong. */
export const makeDepositTable = (query: Query) => ({
  /** The newest head that the target should have; null for none. */
  async newest(target: Target): Promise<bigint | null> {
    const [row] = await query<{ newest: string | null }>(selectNewest, [target]);
    return row?.newest ? BigInt(row.newest) : null;
  },
  async expect(target: Target, heads: readonly Head[]): Promise<void> {
    if (heads.length === 0) return;
    const [revisions, sizes] = [heads.map(({ revision }) => revision), heads.map(({ size }) => size)];
    await query(insertExpected, [target, revisions, sizes, heads.map(({ at }) => new Date(at))]);
  },
  /** The oldest first. */
  waiting: async (target: Target): Promise<readonly bigint[]> =>
    (await query<{ head_revision: string }>(selectWaiting, [target])).map((row) => BigInt(row.head_revision)),
  deposited: async (target: Target, revision: bigint, at: number): Promise<void> =>
    void (await query(updateDeposited, [target, revision, new Date(at)])),
  failed: async (target: Target, revision: bigint, why: string): Promise<void> =>
    void (await query(updateFailed, [target, revision, why])),
  /** The newest first, whole heads. @param before exclusive; null for the newest */
  list: async (limit: number, before: bigint | null): Promise<readonly Deposit[]> =>
    (await query<Stored>(selectList, [before, limit])).map(toDeposit),
  counts: async (): Promise<readonly DepositCount[]> =>
    (await query<Counted>(selectCounts, [])).map(({ target, waiting, newest }) => ({
      target,
      waiting: Number(waiting),
      newestAt: newest?.getTime() ?? null,
    })),
});

type Stored = {
  readonly head_revision: string;
  readonly target: Target;
  readonly size: string;
  readonly signed_at: Date;
  readonly deposited_at: Date | null;
  readonly attempts: number;
  readonly last_error: string | null;
};
type Counted = { readonly target: Target; readonly waiting: string; readonly newest: Date | null };

const toDeposit = (row: Stored): Deposit => ({
  revision: BigInt(row.head_revision),
  size: Number(row.size),
  signedAt: row.signed_at.getTime(),
  target: row.target,
  depositedAt: row.deposited_at?.getTime() ?? null,
  attempts: row.attempts,
  lastError: row.last_error,
});

const selectNewest = statement('newest-expected-deposit')`
  select max(head_revision) as newest from head_deposits where target = $1`;
const insertExpected = statement('expect-deposits')`
  insert into head_deposits (target, head_revision, size, signed_at)
  select $1, * from unnest($2::bigint[], $3::bigint[], $4::timestamptz[]) on conflict do nothing`;
const selectWaiting = statement('waiting-deposits')`
  select head_revision from head_deposits where target = $1 and deposited_at is null order by 1 limit 1000`;
const updateDeposited = statement('deposited')`
  update head_deposits set deposited_at = $3, attempts = attempts + 1, last_error = null
  where target = $1 and head_revision = $2 and deposited_at is null`;
const updateFailed = statement('deposit-failed')`
  update head_deposits set attempts = attempts + 1, last_error = $3
  where target = $1 and head_revision = $2 and deposited_at is null`;
const selectList = statement('list-deposits')`
  select head_revision, target, size, signed_at, deposited_at, attempts, last_error from head_deposits
  where head_revision in (select distinct head_revision from head_deposits
    where $1::bigint is null or head_revision < $1 order by 1 desc limit $2)
  order by head_revision desc, target`;
const selectCounts = statement('count-deposits')`
  select target, count(*) filter (where deposited_at is null and attempts > 0) as waiting, max(deposited_at) as newest
  from head_deposits group by target order by target`;
