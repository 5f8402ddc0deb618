import type { VerifyOptions } from '@grantbook/verify';
import { table, type Answer, type Text } from '../base/answer.ts';
import { type AddCommands, leaf } from '../base/define.ts';
import { wholeFrom1To } from '../base/option-values.ts';
import { addAsOfCommand } from './as-of.ts';
import type { ShownDeposits } from './ask/deposits.ts';
import { askAudit } from './ask-audit.ts';
import { addAuditCheckLog } from './check-log.ts';
import { addAuditExport } from './export.ts';
import { addExposureCommand } from './exposure.ts';
import { addAuditHead } from './head.ts';
import { addReplayCommand } from './replay.ts';
import { addTimelineCommand } from './timeline.ts';
import { aCursor } from './values.ts';

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
        const { reportText, UnreadableFile, verifyFile } = await import('@grantbook/verify');
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

type Options = { readonly limit: number; readonly after?: bigint };

const addAuditDeposits: AddCommands = (audit, io, run) => {
  leaf(audit, 'deposits', 'list deposited heads of the log, newest first, and pending ones')
    .option('--limit <n>', 'maximum number of heads, up to 1000', wholeFrom1To(1000), 50)
    .option('--after <cursor>', 'next page: the `next` of the previous output', aCursor)
    .action(({ limit, after }: Options) =>
      run(() => askAudit(io, 'deposits', { limit: String(limit), after: after?.toString() }, depositsText)),
    );
};

const depositsText = ({ items }: ShownDeposits): Text =>
  items.length === 0
    ? 'No head was deposited. To deposit heads, set HEAD_DEPOSIT_DIR.'
    : table(
        ['events', 'signed', 'where', 'deposited', 'attempts', 'trouble'],
        items.flatMap(({ size, signed_at: signedAt, deposits }) =>
          deposits.map(({ target, deposited_at: depositedAt, attempts, last_error: lastError }) => [
            String(size),
            signedAt ?? '',
            target,
            depositedAt ?? 'waiting',
            String(attempts),
            lastError ?? '',
          ]),
        ),
      );

const commands = [
  addTimelineCommand,
  addReplayCommand,
  addAsOfCommand,
  addExposureCommand,
  addAuditExport,
  addAuditVerify,
  addAuditHead,
  addAuditCheckLog,
  addAuditDeposits,
];

export const addAuditCommands: AddCommands = (program, io, run) => {
  const audit = program.command('audit');
  for (const add of commands) add(audit, io, run);
};
