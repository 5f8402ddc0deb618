import { positionText } from '../../audit/timeline/position-text.ts';
import { ConnectionLost } from '../../projections/leadership/leader-session.ts';
import type { Difference, Row } from '../../projections/rebuild/compare-tables.ts';
import type { RebuildProgress } from '../../projections/rebuild/progress-meter.ts';
import { RebuildRefused } from '../../projections/rebuild/refusal.ts';
import type { Verified } from '../../projections/rebuild/verify.ts';
import { number, refused, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { type ColumnOptions, withColumns } from '../base/list.ts';
import { NotReached } from '../base/not-reached.ts';
import { parseVersion } from '../base/option-values.ts';
import { showProgress, type Progress } from '../base/progress.ts';
import { withService, type CliService } from '../base/service.ts';
import {
  presentDropped,
  presentProgress,
  presentRebuilt,
  presentStatus,
  presentSwapped,
  statusColumns,
} from './present.ts';

type WithVersion = { readonly version?: number };

const newest = 'by default the newest that was built';

export const addProjectionsCommands: AddCommands = (program, io, run) => {
  const group = program.command('projections');
  const act = (work: (service: CliService) => Promise<Answer>) => run(() => guarded(io, work));

  withColumns(leaf(group, 'status', 'list the read models and their versions'), statusColumns).action(
    ({ columns }: ColumnOptions) =>
      act(async ({ rebuilds }) => presentStatus(await rebuilds.status(), columns)),
  );
  leaf(
    group,
    'rebuild <name>',
    'build a candidate version next to the live one; an interrupted build continues',
  )
    .option('--version <n>', 'the version to continue, or the next number for a new one', parseVersion)
    .action((name: string, options: WithVersion) =>
      act(({ rebuilds }) => {
        let now: Progress = { share: null, text: 'nothing is written yet' };
        const display = showProgress(io.stderr, () => now);
        const progressed = (progress: RebuildProgress) => {
          now = presentProgress(progress);
          display.news();
        };
        return rebuilds
          .rebuild({ name, ...options, progressed }, io.signal)
          .then(presentRebuilt)
          .finally(display.end);
      }),
    );
  leaf(group, 'verify <name>', 'compare a version with the live tables, row by row, at the same position')
    .option('--version <n>', newest, parseVersion)
    .action((name: string, options: WithVersion) =>
      act(({ rebuilds }) => {
        let now = 'nothing is compared yet';
        const display = showProgress(io.stderr, () => ({ share: null, text: now }));
        const progressed = (table: string, rows: number) => {
          now = `${table}: ${number.format(rows)} rows compared`;
          display.news();
        };
        return rebuilds
          .verify({ name, ...options, progressed }, io.signal)
          .then(presentVerified)
          .finally(display.end);
      }),
    );
  leaf(group, 'swap <name>', 'make a version the live one')
    .option('--version <n>', newest, parseVersion)
    .option('--unverified', 'even if it was not verified, or differs')
    .action((name: string, options: WithVersion & { readonly unverified?: boolean }) =>
      act(async ({ rebuilds }) => presentSwapped(await rebuilds.swap({ name, ...options }, io.signal))),
    );
  leaf(group, 'drop <name>', 'remove a version that is not live')
    .requiredOption('--version <n>', 'which one', parseVersion)
    .action((name: string, { version }: { readonly version: number }) =>
      act(async ({ rebuilds }) => presentDropped(await rebuilds.drop({ name, version }, io.signal))),
    );
};

const guarded = async (io: CliIo, work: (service: CliService) => Promise<Answer>): Promise<Answer> => {
  try {
    return await withService(io, work);
  } catch (error) {
    if (error instanceof RebuildRefused) return refused(error.code, error.message);
    if (error instanceof ConnectionLost)
      throw new NotReached(
        'DATABASE_URL',
        'The connection to the database was lost (DATABASE_URL); no step was left incomplete, run it again',
        { cause: error },
      );
    throw error;
  }
};

/** Differences count as refused: a script must not continue. */
const presentVerified = ({ name, version, position, tables, differences }: Verified): Answer => {
  const equal = differences.length === 0;
  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  const at = positionText(position);
  return {
    exitCode: equal ? 0 : 1,
    json: { name, version, position: at, equal, rows, tables, differences },
    text: equal
      ? `Version ${version} of ${name} is equal to the live one at ${at}: ${number.format(rows)} rows.`
      : [
          `Version ${version} of ${name} differs from the live one at ${at}.`,
          ...differences.flatMap(textOf),
        ].join('\n'),
  };
};

const saying = {
  different: 'differs',
  missing: 'is missing in the rebuilt table',
  extra: 'is only in the rebuilt table',
} as const;

const textOf = (difference: Difference): readonly string[] => {
  const { table, kind, key, columns, live, rebuilt, rows, keys } = difference;
  const value = (text: string | null = null) => (text === null ? 'NULL' : JSON.stringify(text));
  const keyText = (row: Row) =>
    Object.entries(row)
      .map(([name, text]) => `${name} = ${text}`)
      .join(', ');
  return [
    `  ${table}: ${rows === 1 ? '1 row differs' : `${number.format(rows)} rows differ`}`,
    `    the row with ${keyText(key)} ${saying[kind]}`,
    ...columns.map((name) => `      ${name}: live ${value(live?.[name])}, rebuilt ${value(rebuilt?.[name])}`),
    ...keys.slice(1).map((other) => `    also that with ${keyText(other)}`),
  ];
};
