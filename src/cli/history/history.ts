import { readConfig } from '../../config/config.ts';
import { readMonths, type MonthStatus } from '../../projections/history/archives/archive-status.ts';
import { answer, table, type Answer } from '../base/answer.ts';
import { type AddCommands, leaf } from '../base/define.ts';
import { addHistoryArchive } from './archive.ts';
import { withDatabase } from './with-months.ts';

/** Months of the timeline index, in the database or in files (docs/how-to/archive-history.md). */
export const addHistoryCommands: AddCommands = (program, io, run) => {
  const history = program.command('history').description('archive old months of the timeline');
  addHistoryStatus(history, io, run);
  addHistoryArchive(history, io, run);
};

const addHistoryStatus: AddCommands = (history, io, run) => {
  leaf(history, 'status', 'list the months, how large each is, and where it is').action(() =>
    run(async () => present(await withDatabase(io, readMonths), readConfig(io.env).historyRetentionDays)),
  );
};

const present = (months: readonly MonthStatus[], retentionDays: number | null): Answer => {
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
  const rows = items.map(({ month, state, bytes, file, sha256 }) => [
    month,
    state,
    `${Math.ceil(bytes / 1024)} kB`,
    file ?? '',
    sha256 ?? '',
  ]);
  const text =
    rows.length === 0
      ? 'There is no history yet.'
      : table(['month', 'state', 'size', 'file', 'SHA-256'], rows);
  return answer({ items, next: null, retention_days: retentionDays }, text);
};
