import { createHash } from 'node:crypto';
import type { Month, MonthlyTable } from '../history-months.ts';

/**
 * An archive is lines of JSON: a header, the rows of history_events and of history_references as arrays of texts in the
 * order of these columns, and a last line with the SHA-256 of everything before it. So an incomplete archive is always
 * detected.
 */
export const archivedColumns: Readonly<Record<MonthlyTable, readonly string[]>> = {
  history_events: [
    'stream',
    'position',
    'created',
    'organization_key',
    'addon_key',
    'user_key',
    'revision',
    'type',
    'actor',
  ],
  history_references: ['kind', 'id', 'position', 'created', 'stream', 'revision', 'type', 'actor'],
};

export type ArchiveHeader = {
  readonly format: 'grantbook-history';
  readonly version: 1;
  readonly month: Month;
} & Readonly<Record<MonthlyTable, number>>;

export const headerOf = (month: Month, counts: Readonly<Record<MonthlyTable, number>>): ArchiveHeader => ({
  format: 'grantbook-history',
  version: 1,
  month,
  ...counts,
});

export const makeDigest = () => {
  const hash = createHash('sha256');
  return {
    add: (line: string | Buffer): void => void hash.update(line).update('\n'),
    hex: (): string => hash.digest('hex'),
  };
};

export type ArchivedRow = { readonly table: MonthlyTable; readonly values: readonly (string | null)[] };

/**
 * Reads an archive: first its header, then its rows. What was read is only valid once the generator returns. @throws
 * HistoryRefused
 */
export type ReadingArchive = AsyncGenerator<ArchiveHeader | ArchivedRow, { readonly sha256: string }>;
