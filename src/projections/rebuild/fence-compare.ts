import { fenceRowOf } from '../../domain/fence/fence-rows.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import { keptBeyondEnd } from '../../domain/fence/fence-retention.ts';
import { streamOfSubject, type FenceSubject } from '../../domain/fence/fence.ts';
import { comparePositions, type LogReader, type Position } from '../../eventstore/event-store.ts';
import { readFenceEnd } from '../retention/clean-tables.ts';
import {
  adding,
  type Compared,
  type CompareDependencies,
  type Difference,
  type Row,
  type RowDifference,
} from './compare-tables.ts';
import { nameOf } from './table-definition.ts';
import type { Tx } from '../follow/projection.ts';
import { toFenceRow, writeFenceStatement, type StoredFenceRow } from '../fence/fence-statement.ts';

type Dependencies = CompareDependencies & {
  readonly log: LogReader;
  readonly position: Position;
  readonly now: Instant;
};

const columns = ['subject', 'revision', 'epoch', 'open'] as const;
const texts = (table: string) =>
  `json_build_object(${columns.map((name) => `'${name}', ${table}.${name}::text`).join(', ')})`;

/** Commands write the fence, too: no live row may be behind the rebuilt one, and what it has more must be in the log. */
export const compareFence = async (dependencies: Dependencies): Promise<Compared> => {
  const { live, rebuilt, log, position, signal } = dependencies;
  const [ours, theirs] = [nameOf(live.schema, 'fence'), nameOf(rebuilt.schema, 'fence')];
  const { rows: counted } = await live.tx.query<{ rows: number }>(
    `select count(*)::int as rows from ${ours}`,
  );
  const rows = counted[0]?.rows ?? 0;
  let difference: Difference | null = null;
  for await (const row of rowsBehind(dependencies, ours, theirs))
    difference = adding(difference, differenceOf(row));
  for (let after = ''; ;) {
    signal.throwIfAborted();
    const { rows: ahead } = await rebuilt.tx.query<{ live: Row; rebuilt: Row | null }>(
      `select ${texts('live')} as live, case when built.subject is not null then ${texts('built')} end as rebuilt
       from ${ours} as live left join ${theirs} as built on built.subject = live.subject
       where live.subject > $1 and (built.subject is null or live.revision > built.revision)
       order by live.subject limit 500`,
      [after],
    );
    for (const row of ahead)
      if (!(await isOfLog(log, position, row.live))) difference = adding(difference, differenceOf(row));
    const last = ahead.at(-1);
    if (!last) return { rows, difference };
    after = last.live['subject'] ?? '';
  }
};

type Behind = { readonly live: Row | null; readonly rebuilt: Row };

/** The rows that the live fence lacks, although something they could refuse may still be valid, or has older. */
async function* rowsBehind(
  { rebuilt, log, now, signal }: Dependencies,
  ours: string,
  theirs: string,
): AsyncIterable<Behind> {
  for (let after = ''; ;) {
    signal.throwIfAborted();
    // Read by the connection that has just written the rebuilt rows: live rows are only added, or removed when they
    // have no effect any more.
    const { rows } = await rebuilt.tx.query<Behind>(
      `select case when live.subject is not null then ${texts('live')} end as live, ${texts('built')} as rebuilt
       from ${theirs} as built left join ${ours} as live on live.subject = built.subject
       where built.subject > $1 and (live.subject is null or live.revision < built.revision
          or (live.revision = built.revision and (live.epoch, live.open) is distinct from (built.epoch, built.open)))
       order by built.subject limit 100`,
      [after],
    );
    for (const row of rows) if (row.live || !(await isOver(log, row.rebuilt, now))) yield row;
    const last = rows.at(-1);
    if (!last) return;
    after = last.rebuilt['subject'] ?? '';
  }
}

/** Whether retention has removed the row, or may remove it (docs/reference/retention.md). */
const isOver = async (log: LogReader, row: Row, now: number): Promise<boolean> => {
  const subject = (row['subject'] ?? '') as FenceSubject;
  const revision = BigInt(row['revision'] ?? 0);
  const end = await readFenceEnd(log, { subject, revision, open: row['open'] === 'true' });
  return end === 'gone' || (end !== 'never' && end + keptBeyondEnd < now);
};

/** Whether the row is of an event that the rebuilt tables have not applied yet. */
const isOfLog = async (log: LogReader, position: Position, live: Row): Promise<boolean> => {
  const revision = BigInt(live['revision'] ?? 0);
  const [read] = await log.readEach(streamOfSubject((live['subject'] ?? '') as FenceSubject), revision, 1);
  if (read?.kind !== 'event' || read.event.revision !== revision) return false;
  const row = fenceRowOf(read.event);
  return (
    row !== null &&
    row.subject === live['subject'] &&
    comparePositions(read.event.position, position) > 0 &&
    live['open'] === String(row.open) &&
    live['epoch'] === String(row.epoch)
  );
};

const differenceOf = ({ live, rebuilt }: { live: Row | null; rebuilt: Row | null }): RowDifference => ({
  table: 'fence',
  kind: live === null ? 'extra' : rebuilt === null ? 'missing' : 'different',
  key: { subject: (live ?? rebuilt)?.['subject'] ?? null },
  columns: live && rebuilt ? columns.filter((name) => live[name] !== rebuilt[name]) : columns,
  live,
  rebuilt,
});

const chunk = 1000;

/** Merges built rows into the fence as all writes do: only missing or older rows, a few at a time. @returns their number */
export const mergeFence = async (tx: Tx, from: string): Promise<number> => {
  await tx.query('reset search_path');
  let after = '';
  let merged = 0;
  for (;;) {
    const { rows } = await tx.query<StoredFenceRow>(
      `select built.subject, built.revision, built.epoch, built.open
       from ${nameOf(from, 'fence')} as built left join fence as live on live.subject = built.subject
       where built.subject > $1 and (live.subject is null or live.revision < built.revision)
       order by built.subject limit ${chunk}`,
      [after],
    );
    const last = rows.at(-1);
    if (!last) return merged;
    const { rowCount } = await tx.query(writeFenceStatement(rows.map(toFenceRow)));
    merged += rowCount ?? 0;
    after = last.subject;
  }
};
