import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readConfig } from '../../config/config.ts';
import { archiveMonth, type Archived } from '../../projections/history/archives/archive-month.ts';
import { HistoryRefused } from '../../projections/history/archives/refusal.ts';
import { readMonths } from '../../projections/history/archives/archive-status.ts';
import { boundsOf, type Month } from '../../projections/history/history-months.ts';
import type { Tx } from '../../projections/follow/projection.ts';
import { answer, refused, type Answer } from '../base/answer.ts';
import { parseTime } from '../../audit/timeline/parse-time.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { allowing, matching } from '../base/option-values.ts';
import { writeNewFile, fileTrouble } from '../base/whole-file.ts';
import { pino } from 'pino';
import { withClient } from '../../common/with-client.ts';
import { withSession } from '../../projections/rebuild/session.ts';
import { RebuildRefused } from '../../projections/rebuild/refusal.ts';
import type { CliIo } from '../base/cli-io.ts';

type Options = { readonly month?: Month; readonly before?: number; readonly dir?: string };

const day = 86_400_000;

export const addHistoryArchive: AddCommands = (history, io, run) => {
  const command = leaf(
    history,
    'archive',
    'move old months of the timeline index from the database into files',
  )
    .option('--month <month>', 'only this one, such as 2026-01', aMonth)
    .option('--before <time>', 'all months that ended before this time (RFC 3339, or a date)', aTime)
    .option('--dir <folder>', 'where the files go (default: the folder history in DATA_DIR)')
    .addHelpText(
      'after',
      '\nWithout --month and --before: the months that ended HISTORY_RETENTION_DAYS ago or earlier.\nA month is two files in PostgreSQL’s COPY format and a manifest, history-2026-01.json (docs/how-to/archive-history.md).',
    );
  command.action((options: Options) => {
    const { historyRetentionDays: days, dataDir } = readConfig(io.env);
    const { month, before } = options;
    if (month !== undefined && before !== undefined)
      command.error('error: --month and --before cannot both be given');
    if (month === undefined && before === undefined && days === null)
      command.error('error: --month, --before or HISTORY_RETENTION_DAYS is required');
    const dir = resolve(options.dir ?? join(dataDir, 'history'));
    const until = before ?? Date.now() - (days ?? 0) * day;
    return run(() => changingMonths(io, dir, (tx, source) => archiveAll(tx, source, dir, { month, until })));
  });
};

const aTime = allowing(
  'is a time such as 2026-05-03T16:20:05Z (RFC 3339), or a date, which is meant in UTC',
  parseTime,
);
const aMonth = matching('is a month such as 2026-01', /^\d{4}-(?:0[1-9]|1[0-2])$/);

type Which = { readonly month: Month | undefined; readonly until: number };

/** Each month is archived separately: a refusal ends the run, but earlier months stay archived and are reported. */
const archiveAll = async (tx: Tx, source: Tx, dir: string, { month, until }: Which): Promise<Answer> => {
  const months = month === undefined ? await oldMonths(tx, until) : [month];
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const archives: Archived[] = [];
  const dependencies = { tx, source, now: () => Date.now(), write: writeNewFile };
  for (const each of months) {
    try {
      archives.push(await archiveMonth(dependencies, each, dir));
    } catch (error) {
      if (!(error instanceof HistoryRefused) || archives.length === 0) throw error;
      const so = refused(error.code, error.message);
      return {
        ...so,
        json: { ...(so.json as object), archives },
        text: [...linesOf(archives), so.text].join('\n'),
      };
    }
  }
  const text = archives.length === 0 ? 'No month is old enough.' : linesOf(archives).join('\n');
  return answer({ archives }, text);
};

const oldMonths = async (tx: Tx, until: number): Promise<readonly Month[]> =>
  (await readMonths(tx))
    .filter(({ state, month }) => state !== 'archived' && boundsOf(month)[1] <= until)
    .map(({ month }) => month);

const linesOf = (archives: readonly Archived[]): readonly string[] =>
  archives.map(
    ({ month, file, events, references, sha256 }) =>
      `Archived ${month}: ${events + references} references in ${file} (SHA-256 ${sha256}).`,
  );

/** Opens a connection of its own; does not need the event store. */
export const withDatabase = async <T>(io: CliIo, use: (tx: Tx) => Promise<T>): Promise<T> => {
  const servers = await io.openServers({ eventStore: false });
  try {
    return await withClient({ connectionString: servers.databaseUrl }, use);
  } finally {
    await servers.close();
  }
};

/** The same for commands that change months: only one at a time, also with respect to those of `projections`. */
const changingMonths = async (
  io: CliIo,
  file: string,
  use: (tx: Tx, source: Tx) => Promise<Answer>,
): Promise<Answer> => {
  const servers = await io.openServers({ eventStore: false });
  const { databaseUrl } = servers;
  try {
    return await withSession(
      { databaseUrl, logger: pino({ level: 'silent' }), signal: io.signal },
      'history',
      ({ tx }) => withClient({ connectionString: databaseUrl }, (source) => use(tx, source)),
    );
  } catch (error) {
    if (error instanceof HistoryRefused || error instanceof RebuildRefused)
      return refused(error.code, error.message);
    const trouble = fileTrouble(error);
    if (trouble !== null) return refused('file', `${file} cannot be read or written (${trouble})`);
    throw error;
  } finally {
    await servers.close();
  }
};
