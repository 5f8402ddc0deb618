import { writeKeyFile } from '../../personal/key-file.ts';
import { answer, refused, type Answer } from '../answer.ts';
import type { CliIo } from '../cli-io.ts';
import { leaf, type AddCommands } from '../define.ts';
import { fileTrouble } from './file-trouble.ts';
import { withKeyKeeping } from './with-key-keeping.ts';
import { writeNewFile } from './write-new-file.ts';

export const addKeysBackup: AddCommands = (keys, io, run) => {
  leaf(keys, 'backup', 'write the keys of personal data into a file, wrapped as they are stored')
    .requiredOption('-o, --output <file>', 'where to; must not be there yet')
    .addHelpText('after', '\nWorth nothing without PERSONAL_DATA_KEYS: keep those apart from it.')
    .action(({ output }: { readonly output: string }) => run(() => backup(io, output)));
};

const backup = (io: CliIo, output: string): Promise<Answer> =>
  withKeyKeeping(io, { eventStore: false }, async (keeping) => {
    try {
      const keys = await writeNewFile(output, writeKeyFile(keeping.all(), Date.now()));
      if (keys === null)
        return refused('file-exists', `${output} is there already, and a backup overwrites nothing`);
      return answer({ file: output, keys }, `Wrote ${keys} keys to ${output}.`);
    } catch (error) {
      const trouble = fileTrouble(error);
      if (trouble !== null) return refused('not-written', `${output} cannot be written (${trouble})`);
      throw error;
    }
  });
