import type { VerifyOptions } from '#verify';
import type { AuditQuestion } from '../../tasks/audit-questions.ts';
import type { Answer, Text } from '../base/answer.ts';
import { type AddCommands, leaf } from '../base/define.ts';
import { type ColumnOptions, listText, withColumns } from '../base/list.ts';
import { asOfText, timelineText, exposureText, replayText } from './texts.ts';
import type { ShownDeposits } from '../../audit/questions/deposits.ts';
import { askAudit } from './ask-audit.ts';
import { addAuditCheckLog } from './check-log.ts';
import { addAuditExport } from './export.ts';
import { addAuditHead } from './head.ts';
import { askedIn, questionCommand } from './question.ts';

/** The package does all of it, so that an auditor can use it without the service. */
const addAuditVerify: AddCommands = (audit, _io, run) => {
  const command = leaf(
    audit,
    'verify',
    'verify an export, a head or a folder of deposited heads offline, and show what is wrong',
  );
  command
    .argument('<file>', 'output of `grantbook audit export` or `head`, or HEAD_DEPOSIT_DIR')
    .option('--jwks <file>', 'public keys of the service, stored earlier (GET /oauth/jwks)')
    .option(
      '--head <file>',
      'a stored head of the log: checks that the events are in that log or its continuation',
    )
    .option('--timestamp-ca <file>', 'certificates of the timestamp authority (PEM)')
    .action((file: string, options: VerifyOptions) =>
      run(async (): Promise<Answer> => {
        const { reportText, UnreadableFile, verifyFile } = await import('#verify');
        try {
          const report = await verifyFile(file, options);
          return { exitCode: report.ok ? 0 : 1, json: report.json, text: reportText(report) };
        } catch (error) {
          if (error instanceof UnreadableFile) return command.error(`error: ${error.message}`);
          throw error;
        }
      }),
    );
};

const depositColumns = ['events', 'signed_at', 'target', 'deposited_at', 'attempts', 'last_error'];

const depositsText = ({ items, next }: ShownDeposits, { columns }: ColumnOptions): Text =>
  listText(
    {
      columns: depositColumns,
      items: items.flatMap(({ size, signed_at, deposits }) =>
        deposits.map((deposit) => ({
          ...deposit,
          events: size,
          signed_at,
          deposited_at: deposit.deposited_at ?? 'waiting',
        })),
      ),
      next,
      none: 'No head was deposited. To deposit heads, set HEAD_DEPOSIT_DIR.',
    },
    columns,
  );

const asking =
  <Shown>(
    question: Exclude<AuditQuestion, 'export'>,
    textOf: (json: Shown, options: ColumnOptions) => Text,
    columns: readonly string[] | null = null,
  ): AddCommands =>
  (audit, io, run) => {
    const command = questionCommand(audit, question);
    if (columns) withColumns(command, columns);
    command.action(() => {
      const { parameters } = askedIn(command, question);
      return run(() => askAudit<Shown>(io, question, parameters, (json) => textOf(json, command.opts())));
    });
  };

const commands = [
  asking('timeline', timelineText),
  asking('replay', replayText),
  asking('as-of', asOfText),
  asking('exposure', exposureText),
  addAuditExport,
  addAuditVerify,
  addAuditHead,
  addAuditCheckLog,
  asking('deposits', depositsText, depositColumns),
];

export const addAuditCommands: AddCommands = (program, io, run) => {
  const audit = program.command('audit');
  for (const add of commands) add(audit, io, run);
};
