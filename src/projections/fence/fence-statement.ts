import type { FenceRow, FenceSubject } from '../../domain/fence/fence.ts';

/**
 * The only statement that writes the fence, for commands and the projector alike: a lower revision never wins. Sorted
 * by subject, so that two writers lock rows in the same order.
 */
export const writeFenceStatement = (rows: readonly FenceRow[]) => {
  const newest = newestOfEach(rows);
  return {
    name: 'write-fence',
    text: writeFence,
    values: [
      newest.map(({ subject }) => subject),
      newest.map(({ revision }) => revision),
      newest.map(({ epoch }) => epoch),
      newest.map(({ open }) => open),
    ],
  };
};

const writeFence = `
  insert into fence (subject, revision, epoch, open)
  select * from unnest($1::text[], $2::bigint[], $3::int[], $4::bool[])
  on conflict (subject) do update
    set revision = excluded.revision, epoch = excluded.epoch, open = excluded.open
    where excluded.revision > fence.revision`;

/** One row per subject, because a statement may not touch a row twice. */
const newestOfEach = (rows: readonly FenceRow[]): readonly FenceRow[] => {
  const newest = new Map<FenceSubject, FenceRow>();
  for (const row of rows) {
    const other = newest.get(row.subject);
    if (!other || row.revision > other.revision) newest.set(row.subject, row);
  }
  return [...newest.values()].sort((a, b) => (a.subject < b.subject ? -1 : 1));
};

/**
 * The rows of the subjects in $1, and one more for each subject that a parked event keeps closed: one statement, or a
 * part of one, so that all rows are from one snapshot.
 */
export const fenceRows = `select subject, revision, epoch, open, false as parked from fence where subject = any($1)
           union all select closes, revision, 0, true, true from parked_events where closes = any($1)`;

/** Whether an activation counts whose row is `fence`: its organization, of this SQL expression, may be closed (ADR 104). */
export const isActive = (organizationId: string): string =>
  `fence.open and not exists (select from fence as ended where ended.subject = 'organization:' || ${organizationId} and not ended.open)`;

/** A fence row as the driver reads it. */
export type StoredFenceRow = {
  readonly subject: string;
  readonly revision: string | number;
  readonly epoch: number;
  readonly open: boolean;
  readonly parked?: boolean;
};

export const toFenceRow = ({ subject, revision, epoch, open, parked }: StoredFenceRow): FenceRow => ({
  subject: subject as FenceSubject, // the table holds only rows of ours
  revision: BigInt(revision),
  epoch,
  open,
  ...(parked && { parked }),
});
