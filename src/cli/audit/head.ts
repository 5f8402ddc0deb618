import { writeFile } from 'node:fs/promises';
import type { LogHead } from '../../audit/log-heads/read-heads.ts';
import { answer, refused, sheet, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { withService } from '../base/service.ts';
import { refusedAnswer } from './ask-audit.ts';
import { auditsOver } from './audits.ts';

type Options = { readonly sign?: true; readonly output?: string };

export const addAuditHead: AddCommands = (audit, io, run) => {
  leaf(audit, 'head', 'print the newest signed head of the log, for storage outside')
    .option('--sign', 'sign a new head over the whole log now')
    .option('-o, --output <file>', 'write it to a file, for `grantbook audit check-log --head`')
    .action(({ sign, output }: Options) =>
      run(() =>
        sign
          ? withService(
              io,
              async (service) => {
                const { signHead } = await import('../../audit/questions/head.ts');
                const signed = await signHead(service, io);
                return 'code' in signed ? refusedAnswer(signed) : printed(signed, output);
              },
              'auditor',
            )
          : newest(io, output),
      ),
    );
};

const newest = async (io: CliIo, output: string | undefined): Promise<Answer> => {
  const audits = auditsOver(await io.openApi('auditor'), io);
  try {
    const found = await audits.ask('head', {});
    // The question says what its answer is.
    return found.ok ? await printed(found.json as unknown as LogHead, output) : refusedAnswer(found);
  } finally {
    await audits.close();
  }
};

const printed = async (shown: LogHead, output: string | undefined): Promise<Answer> => {
  try {
    if (output !== undefined) await writeFile(output, `${JSON.stringify(shown, null, 2)}\n`);
  } catch (error) {
    return refused('not-written', `${output} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
  const { size, root, position, at } = shown;
  const signedAt = new Date(at).toISOString();
  return answer(
    shown,
    sheet({
      size: String(size),
      root,
      position,
      signed: signedAt,
      ...(output !== undefined && { file: output }),
    }),
  );
};
