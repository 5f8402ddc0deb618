import { monthlyTables, partitionOf, readPartitions, type Month } from '../history-months.ts';
import type { Tx } from '../../follow/projection.ts';

export type MonthStatus = {
  readonly month: Month;
  /** `incomplete`: one of its two partitions is missing. */
  readonly state: 'attached' | 'archived' | 'incomplete';
  /** In the database, including indexes. */
  readonly bytes: number;
  /** The archive; null for a month that is attached. */
  readonly archive: {
    readonly file: string;
    readonly sha256: string;
    readonly events: number;
    readonly references: number;
    readonly archivedAt: number;
  } | null;
};

/** Ordered from the oldest month. */
export const readMonths = async (tx: Tx): Promise<readonly MonthStatus[]> => {
  const partitions = await readPartitions(tx);
  const months = [...new Set(partitions.map(({ month }) => month))];
  const attached: MonthStatus[] = [];
  for (const month of months) {
    const isWhole = partitions.filter((one) => one.month === month).length === monthlyTables.length;
    attached.push({
      month,
      state: isWhole ? 'attached' : 'incomplete',
      bytes: await bytesOf(tx, month),
      archive: null,
    });
  }
  const { rows } = await tx.query<{ month: Month } & NonNullable<MonthStatus['archive']>>(
    `select month, file, sha256, events::float8 as events, refs::float8 as references, archived_at::float8 as "archivedAt"
     from history_archives`,
  );
  const archived = rows.map(({ month, ...archive }): MonthStatus => ({
    month,
    state: 'archived',
    bytes: 0,
    archive,
  }));
  return [...attached, ...archived].toSorted((a, b) => (a.month < b.month ? -1 : 1));
};

const bytesOf = async (tx: Tx, month: Month): Promise<number> => {
  const names = monthlyTables.map((table) => partitionOf(table, month));
  const { rows } = await tx.query<{ bytes: number }>(
    `select coalesce(sum(pg_total_relation_size(to_regclass(name))), 0)::float8 as bytes from unnest($1::text[]) as name`,
    [names],
  );
  return rows[0]?.bytes ?? 0;
};
