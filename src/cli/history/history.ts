import { readConfig } from '../../config/config.ts';
import { readMonths, type MonthStatus } from '../../projections/history/archives/archive-status.ts';
import { answer, type Answer } from '../base/answer.ts';
import { type AddCommands, leaf } from '../base/define.ts';
import { type ColumnOptions, listText, withColumns } from '../base/list.ts';
import { addHistoryArchive, withDatabase } from './archive.ts';

/** Months of the timeline index, in the database or in files (docs/how-to/archive-history.md). */
export const addHistoryCommands: AddCommands = (program, io, run) => {
  const history = program.command('history');
  addHistoryStatus(history, io, run);
  addHistoryArchive(history, io, run);
};

const addHistoryStatus: AddCommands = (history, io, run) => {
  withColumns(
    leaf(history, 'status', 'list the months, how large each is, and where it is'),
    monthColumns,
  ).action(({ columns }: ColumnOptions) =>
    run(async () =>
      present(await withDatabase(io, readMonths), readConfig(io.env).historyRetentionDays, columns),
    ),
  );
};

const monthColumns = ['month', 'state', 'size', 'file', 'sha256'];

const present = (
  months: readonly MonthStatus[],
  retentionDays: number | null,
  chosen?: readonly string[],
): Answer => {
  const items = months.map(({ month, state, bytes, archive }) => ({
    month,
    state,
    bytes,
    file: archive?.file ?? null,
    sha256: archive?.sha256 ?? null,
    events: archive?.events ?? null,
    references: archive?.references ?? null,
    archived_at: archive && new Date(archive.archivedAt).toISOString(),
  }));
  const shown = items.map((item) => ({ ...item, size: `${Math.ceil(item.bytes / 1024)} kB` }));
  const none = 'There is no history yet.';
  const text = listText({ columns: monthColumns, items: shown, none }, chosen);
  return answer({ items, next: null, retention_days: retentionDays }, text);
};
