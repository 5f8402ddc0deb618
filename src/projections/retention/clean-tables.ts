import { setTimeout as delay } from 'node:timers/promises';
import { inTransaction } from '../../common/transaction.ts';
import { longestAccessToken, fenceEndOf } from '../../domain/fence/fence-retention.ts';
import type { FenceSubject, FenceRow } from '../../domain/fence/fence.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { LogReader } from '../../eventstore/event-store.ts';
import {
  startLeaderElectedWorker,
  type LeaderElectedWorker,
  type LedDependencies,
} from '../leadership/leader-elected-worker.ts';
import type { Tx } from '../follow/projection.ts';
import { caps, sweepBatch, sweeps } from './sweeps.ts';
import type { GrantEvent } from '../../domain/access/grant.ts';

export type TableCleanerDependencies = LedDependencies & {
  readonly log: Pick<LogReader, 'readEach'>;
  /** The clock that all instances share. */
  readonly now: () => Instant;
  /** Between two rounds, in milliseconds. */
  readonly everyMs?: number;
  /** What other rooms keep. */
  readonly more?: readonly Removal[];
};

/** Removes up to `most` rows of a table in a transaction of the caller. @returns how many */
export type Removal = {
  readonly table: string;
  readonly remove: (tx: Tx, most: number) => Promise<number>;
};

/** For each cleaned table, how many rows this instance has removed. */
export type RemovedRows = Readonly<Record<string, number>>;

export type TableCleaner = LeaderElectedWorker & { readonly removed: () => RemovedRows };

/** Removes rows that can no longer be valid or asked for, on one instance, without delaying requests. */
export const startCleaningTables = (dependencies: TableCleanerDependencies): TableCleaner => {
  const { everyMs = 60_000, more = [] } = dependencies;
  const removed: Record<string, number> = Object.fromEntries(
    [...sweeps, ...more].map(({ table }) => [table, 0]),
  );
  const count = (table: string, rows: number): void => {
    removed[table] = (removed[table] ?? 0) + rows;
  };
  const led = startLeaderElectedWorker({
    ...dependencies,
    name: 'table-retention',
    work: async ({ tx, signal, position }, progressed) => {
      while (!signal.aborted) {
        await dateFence(tx, dependencies, signal);
        await sweepTables(tx, dependencies.now, signal, count);
        await removeMore(tx, more, signal, count);
        if (!signal.aborted) progressed(position, true);
        await delay(everyMs, undefined, { signal }).catch(() => undefined);
      }
    },
  });
  return { ...led, removed: () => ({ ...removed }) };
};

export const sweepTables = async (
  tx: Tx,
  now: () => Instant,
  signal: AbortSignal,
  removed: (table: string, rows: number) => void,
): Promise<void> => {
  for (const { table, text, values } of [...sweeps, ...caps])
    for (let rows = sweepBatch; rows === sweepBatch && !signal.aborted;) {
      rows = (await tx.query(text, [...values(now()), sweepBatch])).rowCount ?? 0;
      removed(table, rows);
    }
};

const removeMore = async (
  tx: Tx,
  removals: readonly Removal[],
  signal: AbortSignal,
  removed: (table: string, rows: number) => void,
): Promise<void> => {
  for (const { table, remove } of removals)
    for (let rows = sweepBatch; rows === sweepBatch && !signal.aborted;) {
      rows = await inTransaction(tx, () => remove(tx, sweepBatch));
      removed(table, rows);
    }
};

type Dependencies = { readonly log: Pick<LogReader, 'readEach'>; readonly now: () => Instant };

/** How many rows are looked up in the log at once. */
const page = 50;

/** Records the end of rows that can have one: writers of rows need not know it. */
const dateFence = async (tx: Tx, { log, now }: Dependencies, signal: AbortSignal): Promise<void> => {
  for (let after = ''; !signal.aborted;) {
    const { rows } = await tx.query<Undated>(selectUndated, [after, page]);
    const last = rows.at(-1);
    if (!last) return;
    after = last.subject;
    const ends = await Promise.all(
      rows.map((row) => readFenceEnd(log, { ...row, revision: BigInt(row.revision), open: false })),
    );
    const dated = rows.flatMap(({ subject }, index) => {
      const end = ends[index] ?? 'never';
      // Of a grant that is not in the log, only access tokens could still be accepted.
      return end === 'never' ? [] : [{ subject, end: end === 'gone' ? now() + longestAccessToken : end }];
    });
    await tx.query(writeEnds, [dated.map(({ subject }) => subject), dated.map(({ end }) => end)]);
  }
};

type Undated = { readonly subject: FenceSubject; readonly revision: string };

const selectUndated = `
  select subject, revision from fence
  where ends is null and not open and (subject like 'grant:%' or subject like 'access:%') and subject > $1
  order by subject limit $2`;

const writeEnds = `
  update fence set ends = dated.ends from unnest($1::text[], $2::bigint[]) as dated (subject, ends)
  where fence.subject = dated.subject and not fence.open`;

/** `gone`: the stream that would say it is no longer in the log. */
export type RowEnd = Instant | 'never' | 'gone';

/** When the last credential expires that a row of the fence could refuse: from the log, whenever the row was written. */
export const readFenceEnd = async (
  log: Pick<LogReader, 'readEach'>,
  row: Omit<FenceRow, 'epoch'>,
): Promise<RowEnd> => {
  const end = fenceEndOf(row);
  if (end === null) return 'never';
  const read = await log.readEach(end.stream, end.from, end.count);
  if (read.length === 0) return 'gone';
  const events = read.flatMap((each) => (each.kind === 'event' ? [each.event.event as GrantEvent] : []));
  // An event that cannot be read may be the one that matters.
  return events.length < read.length ? 'never' : (end.endIn(events) ?? 'never');
};
