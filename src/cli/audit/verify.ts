import { reportText, UnreadableFile, verifyFile, type VerifyOptions } from '@grantbook/verify';
import type { Answer } from '../base/answer.ts';
import { leaf, type AddCommands } from '../base/define.ts';

/** The package does all of it, so that an auditor can use it without the service. */
export const addAuditVerify: AddCommands = (audit, _io, run) => {
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
