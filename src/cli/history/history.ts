import { pino } from 'pino';
import { timeOrNull } from '../../common/iso-time.ts';
import { withClient } from '../../common/with-client.ts';
import { readConfig } from '../../config/config.ts';
import type { Tx } from '../../projections/follow/projection.ts';
import { bytesOf, dropMonth, readMonths } from '../../projections/history/drop-month.ts';
import { boundsOf, type Month } from '../../projections/history/history-months.ts';
import { RebuildRefused } from '../../projections/rebuild/refusal.ts';
import { withSession } from '../../projections/rebuild/session.ts';
import { answer, refused, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { type AddCommands, leaf } from '../base/define.ts';
import { type ColumnOptions, listText, withColumns } from '../base/list.ts';
import { matching } from '../base/option-values.ts';

/** Months of the timeline index (docs/how-to/drop-old-history.md). */
export const addHistoryCommands: AddCommands = (program, io, run) => {
  const history = program.command('history');
  addHistoryStatus(history, io, run);
  addHistoryDrop(history, io, run);
};

const addHistoryStatus: AddCommands = (history, io, run) => {
  const columns = ['month', 'state', 'size', 'dropped_at'];
  withColumns(
    leaf(history, 'status', 'list the months, how large each is, and whether it is there'),
    columns,
  ).action(({ columns: chosen }: ColumnOptions) =>
    run(async () => {
      const items = await withDatabase(io, (databaseUrl) =>
        withClient({ connectionString: databaseUrl }, readItems),
      );
      const shown = items.map((item) => ({ ...item, size: `${Math.ceil(item.bytes / 1024)} kB` }));
      const text = listText({ columns, items: shown, none: 'There is no history yet.' }, chosen);
      const { historyRetentionDays } = readConfig(io.env);
      return answer({ items, next: null, retention_days: historyRetentionDays }, text);
    }),
  );
};

const readItems = async (tx: Tx) => {
  const items = [];
  for (const { month, state, droppedAt } of await readMonths(tx))
    items.push({ month, state, bytes: await bytesOf(tx, month), dropped_at: timeOrNull(droppedAt) });
  return items;
};

const day = 86_400_000;

const addHistoryDrop: AddCommands = (history, io, run) => {
  const command = leaf(history, 'drop', 'remove old months of the timeline index; the log keeps everything')
    .argument('[month]', 'the oldest that is there, such as 2026-01', aMonth)
    .addHelpText('after', '\nWithout a month: those that ended HISTORY_RETENTION_DAYS ago or earlier.');
  command.action((month: Month | undefined) => {
    const { historyRetentionDays: days } = readConfig(io.env);
    if (month === undefined && days === null)
      command.error('error: a month or HISTORY_RETENTION_DAYS is required');
    const until = Date.now() - (days ?? 0) * day;
    return run(() => changingMonths(io, (tx) => dropAll(tx, month, until)));
  });
};

const aMonth = matching('is a month such as 2026-01', /^\d{4}-(?:0[1-9]|1[0-2])$/);

/** Each month is dropped by itself: a refusal ends the run, and says which are gone. */
const dropAll = async (tx: Tx, month: Month | undefined, until: number): Promise<Answer> => {
  const months = month === undefined ? await oldMonths(tx, until) : [month];
  const dropped: Month[] = [];
  const linesOf = () => dropped.map((each) => `Dropped ${each}.`);
  for (const each of months) {
    try {
      await dropMonth(tx, each, Date.now());
      dropped.push(each);
    } catch (error) {
      if (!(error instanceof RebuildRefused)) throw error;
      const so = refused(error.code, error.message);
      return { ...so, json: { ...(so.json as object), dropped }, text: [...linesOf(), so.text].join('\n') };
    }
  }
  return answer({ dropped }, dropped.length === 0 ? 'No month is old enough.' : linesOf().join('\n'));
};

const oldMonths = async (tx: Tx, until: number): Promise<readonly Month[]> =>
  (await readMonths(tx))
    .filter(({ state, month }) => state !== 'dropped' && boundsOf(month)[1] <= until)
    .map(({ month }) => month);

/** It does not need the event store. */
const withDatabase = async <T>(io: CliIo, use: (databaseUrl: string) => Promise<T>): Promise<T> => {
  const servers = await io.openServers({ eventStore: false });
  try {
    return await use(servers.databaseUrl);
  } finally {
    await servers.close();
  }
};

/** Only one command at a time changes months, also with respect to those of `projections`. */
const changingMonths = (io: CliIo, use: (tx: Tx) => Promise<Answer>): Promise<Answer> =>
  withDatabase(io, async (databaseUrl) => {
    const dependencies = { databaseUrl, logger: pino({ level: 'silent' }), signal: io.signal };
    try {
      return await withSession(dependencies, 'history', ({ tx }) => use(tx));
    } catch (error) {
      if (error instanceof RebuildRefused) return refused(error.code, error.message);
      throw error;
    }
  });
