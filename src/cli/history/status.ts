import { readConfig } from '../../config/config.ts';
import { readMonths, type MonthStatus } from '../../projections/history/archives/archive-status.ts';
import { answer, table, type Answer } from '../base/answer.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { withDatabase } from './with-months.ts';

export const addHistoryStatus: AddCommands = (history, io, run) => {
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
