import { open } from 'node:fs/promises';
import { KeyFileDamaged, readKeyFile, writeKeyFile } from '../../personal/key-file.ts';
import type { KeyKeeping } from '../../personal/key-keeping.ts';
import { answer, refused, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { fileTrouble } from './file-trouble.ts';
import { replaceFile } from '../base/whole-file.ts';
import { withKeyKeeping } from './with-key-keeping.ts';

export const addKeysBackup: AddCommands = (keys, io, run) => {
  leaf(keys, 'backup', 'write the keys of personal data to a file, in encrypted form')
    .requiredOption('-o, --output <file>', 'output file; an existing backup is replaced')
    .addHelpText('after', '\nThe file is useless without PERSONAL_DATA_KEYS: store them separately.')
    .action(({ output }: { readonly output: string }) => run(() => backup(io, output)));
};

const backup = (io: CliIo, output: string): Promise<Answer> =>
  withKeyKeeping(io, { eventStore: false }, async (keeping) => {
    try {
      const missing = await missingOf(keeping, output);
      if (missing !== null && missing > 0)
        return refused(
          'keys-missing',
          `${output} was not replaced: it contains ${missing} keys that are missing in the database and were not destroyed. Restore them first (grantbook keys restore ${output}), or write to another file`,
        );
      const keys = await replaceFile(output, writeKeyFile(keeping.all(), Date.now()));
      const replaced = missing !== null;
      const what = replaced ? `${output}, replacing the backup that was there` : output;
      return answer({ file: output, keys, replaced }, `Wrote ${keys} keys to ${what}.`);
    } catch (error) {
      if (error instanceof KeyFileDamaged)
        return refused(
          'file-exists',
          `${output} exists and is not a complete backup of keys (${error.message}): it was not overwritten`,
        );
      const trouble = fileTrouble(error);
      if (trouble !== null) return refused('not-written', `${output} cannot be written (${trouble})`);
      throw error;
    }
  });

/**
 * The number of keys in an existing backup file that overwriting it would lose: after a restore of an older database,
 * only the file has them (OP-01). Null if there is no file.
 * @throws KeyFileDamaged
 */
const missingOf = async (keeping: KeyKeeping, file: string): Promise<number | null> => {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  try {
    return handle
      ? await keeping.countMissing(readKeyFile(handle.createReadStream({ autoClose: false })))
      : null;
  } finally {
    await handle?.close();
  }
};
