import { z } from 'zod';
import {
  archivedColumns,
  makeDigest,
  type ArchivedRow,
  type ArchiveHeader,
  type ReadingArchive,
} from '../../projections/history/archives/archive-format.ts';
import { HistoryRefused } from '../../projections/history/archives/refusal.ts';
import { monthlyTables } from '../../projections/history/history-months.ts';

const header = z.object({
  format: z.literal('grantbook-history'),
  version: z.literal(1),
  month: z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/),
  history_events: z.int().nonnegative(),
  history_references: z.int().nonnegative(),
});
const footer = z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/) });
const values = z.array(z.string().nullable());

const parseJson = (line: Buffer): unknown => {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
};

/**
 * Reads the lines of an archive (without their ends) and verifies it while its rows are consumed: they are valid only
 * once this returns.
 * @returns the header and the digest
 * @throws HistoryRefused when the input is no archive, is cut off, or was changed
 */
export async function* readArchive(lines: AsyncIterable<Buffer>): ReadingArchive {
  const digest = makeDigest();
  let head: ArchiveHeader | null = null;
  let rows = 0;
  let said: string | null = null;
  for await (const line of lines) {
    if (said !== null) throw changed('there is more data after its end');
    if (head === null) {
      const parsed = header.safeParse(parseJson(line));
      if (!parsed.success)
        throw new HistoryRefused(
          'not-an-archive',
          'the file is not a history archive, or is one of a newer version',
        );
      head = parsed.data;
      yield head;
    } else if (rows < head.history_events + head.history_references) {
      yield rowOf(rows < head.history_events ? 0 : 1, line);
      rows += 1;
    } else {
      said = endOf(line);
      continue;
    }
    digest.add(line);
  }
  if (said === null)
    throw new HistoryRefused('archive-incomplete', 'the archive is cut off: its last line is missing');
  const sha256 = digest.hex();
  if (sha256 !== said) throw changed('the SHA-256 of its content differs from its last line');
  return { sha256 };
}

const changed = (how: string) => new HistoryRefused('archive-changed', `the archive was changed: ${how}`);

const rowOf = (table: 0 | 1, line: Buffer): ArchivedRow => {
  const name = monthlyTables[table];
  const parsed = values.safeParse(parseJson(line));
  if (!parsed.success || parsed.data.length !== archivedColumns[name].length)
    throw footer.safeParse(parseJson(line)).success
      ? changed('it has fewer rows than its first line says')
      : changed(`a row of ${name} cannot be read`);
  return { table: name, values: parsed.data };
};

const endOf = (line: Buffer): string => {
  const parsed = footer.safeParse(parseJson(line));
  if (!parsed.success) throw changed('it has more rows than its first line says, or no end');
  return parsed.data.sha256;
};
