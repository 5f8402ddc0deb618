import { writeFile } from 'node:fs/promises';
import { Interrupted } from '../../audit/interrupted.ts';
import type { LogHead } from '../../audit/log-heads/log-head.ts';
import type { LoggedHead } from '../../audit/log-heads/read-heads.ts';
import { LogChanged } from '../../audit/log-heads/sign-head.ts';
import { TilesDamaged } from '../../audit/log-tiles/tile.ts';
import { answer, refused, sheet, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { withService, type CliService } from '../base/service.ts';

type Options = { readonly sign?: true; readonly output?: string };

export const addAuditHead: AddCommands = (audit, io, run) => {
  leaf(audit, 'head', 'print the newest signed head of the log, for storage outside')
    .option('--sign', 'sign a new head over the whole log now')
    .option('-o, --output <file>', 'write it to a file, for `grantbook audit check-log --head`')
    .action((options: Options) =>
      run(() => withService(io, (service) => head(io, service, options), 'auditor')),
    );
};

const head = async (io: CliIo, { logHeads }: CliService, { sign, output }: Options): Promise<Answer> => {
  try {
    const found = sign ? await logHeads.sign(io.signal) : await logHeads.newest();
    if (!found)
      return sign
        ? refused('log-empty', 'the log is empty: there is nothing to sign')
        : refused('no-head', 'no head was signed yet: --sign makes one');
    const { revision: _, ...shown } = found as LoggedHead | (LogHead & { revision?: undefined });
    if (output !== undefined) await writeFile(output, `${JSON.stringify(shown, null, 2)}\n`);
    const { size, root, position, at } = shown as LogHead;
    const signedAt = new Date(at).toISOString();
    return answer(
      shown,
      sheet({ size: String(size), root, position, signed: signedAt, ...(output && { file: output }) }),
    );
  } catch (error) {
    if (error instanceof LogChanged || error instanceof TilesDamaged)
      return refused('log-changed', error.message);
    if (error instanceof Interrupted) return refused('interrupted', 'it was interrupted: nothing was signed');
    const { code, path } = error as NodeJS.ErrnoException;
    if (path !== undefined) return refused('not-written', `${output} cannot be written (${code})`);
    throw error;
  }
};
