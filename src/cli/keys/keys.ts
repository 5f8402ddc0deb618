import { open } from 'node:fs/promises';
import { timeOrNull } from '../../common/iso-time.ts';
import type { IdTokenAlg } from '../../domain/addons/addon.ts';
import { idTokenAlgs } from '../../domain/addons/events.ts';
import { KeyFileDamaged, readKeyFile, writeKeyFile } from '../../personal/key-file.ts';
import type { KeyKeeping, UnderMaster } from '../../personal/key-keeping.ts';
import type { ListedKey } from '../../signing/signing-keys.ts';
import { answer, refused, lines, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { type ColumnOptions, listText, withColumns } from '../base/list.ts';
import { oneOf } from '../base/option-values.ts';
import { withService, type CliService } from '../base/service.ts';
import { fileTrouble, replaceFile } from '../base/whole-file.ts';
import { addKeysRestore } from './restore.ts';
import { withKeyKeeping } from './with-key-keeping.ts';

/** The keys that sign id_tokens, and those of personal data; keys of tokens are in the setting TOKEN_KEYS. */
export const addKeysCommands: AddCommands = (program, io, run) => {
  const keys = program.command('keys');
  leaf(keys, 'rotate', 'publish a new key now; it signs ten minutes later')
    .option('--alg <alg>', 'which of the keys to rotate', oneOf(idTokenAlgs), 'RS256')
    .action(({ alg }: { readonly alg: IdTokenAlg }) =>
      run(() => withService(io, (service) => rotate(service, alg))),
    );
  withColumns(leaf(keys, 'list', 'list the keys and their state'), keyColumns).action(
    ({ columns }: ColumnOptions) => run(() => withService(io, (service) => list(service, columns))),
  );
  addKeysBackup(keys, io, run);
  addKeysRestore(keys, io, run);
  addKeysRewrap(keys, io, run);
};

const rotate = async ({ signingKeys }: CliService, alg: IdTokenAlg): Promise<Answer> => {
  const outcome = await signingKeys.rotate(alg);
  if (outcome.ok) {
    const key = present(outcome.key);
    return answer(
      key,
      `Published the key ${key.kid}; every running service signs with it from ${key.current_from}.`,
    );
  }
  const from = outcome.waiting && present(outcome.waiting).current_from;
  return refused(outcome.refusal, `a new ${alg} key is published already and signs from ${from ?? 'soon'}`);
};

const keyColumns = ['kid', 'alg', 'state', 'current_from', 'retired_at', 'published_until'];

const list = async (
  { signingKeys, keysOfPersons }: CliService,
  chosen?: readonly string[],
): Promise<Answer> => {
  const keys = (await signingKeys.list()).map(present);
  const untrusted = await signingKeys.untrusted();
  const masters = (await keysOfPersons.keeping.countByMaster()).map(presentMaster);
  const none = 'There is no key yet: the first one is made when it is needed.';
  const text = lines(
    listText({ columns: keyColumns, items: keys, none }, chosen),
    ...untrusted.map(
      ({ kid, why }) => `Not written by a holder of TOKEN_KEYS, so not published: ${kid} (${why})`,
    ),
    ...masters.map(
      ({ id, keys: count, current }) =>
        `Keys of personal data under ${id}${current ? '' : ', not the current one of PERSONAL_DATA_KEYS'}: ${count}`,
    ),
  );
  return answer({ keys, untrusted_keys: untrusted, personal_data_keys: masters }, text);
};

const present = ({ kid, alg, state, createdAt, currentFrom, ...times }: ListedKey) => ({
  kid,
  alg,
  state,
  created_at: new Date(createdAt).toISOString(),
  current_from: new Date(currentFrom).toISOString(),
  published_at: timeOrNull(times.publishedAt),
  retired_at: timeOrNull(times.retiredAt),
  published_until: timeOrNull(times.publishedUntil),
});

const presentMaster = ({ masterKeyId, count, current }: UnderMaster) => ({
  id: masterKeyId,
  keys: count,
  current,
});

const addKeysRewrap: AddCommands = (keys, io, run) => {
  leaf(keys, 'rewrap', 'encrypt all keys of personal data with the first key of PERSONAL_DATA_KEYS')
    .addHelpText(
      'after',
      '\nBefore that, every instance needs the new key, followed by the old one. An interrupted run continues when it is run again.',
    )
    .action(() => run(() => rewrap(io)));
};

const rewrap = (io: CliIo): Promise<Answer> =>
  withKeyKeeping(io, { eventStore: false }, async (keeping) => {
    const { rewrapped, interrupted } = await keeping.rewrap(io.signal);
    if (interrupted)
      return refused('interrupted', `it was interrupted after ${rewrapped} keys; run it again for the rest`);
    const masters = await keeping.countByMaster();
    const left = masters.filter(({ current }) => !current).map(({ masterKeyId }) => masterKeyId);
    return answer(
      { rewrapped, personal_data_keys: masters.map(presentMaster) },
      `Re-encrypted ${rewrapped} keys. ${
        left.length === 0
          ? 'No key uses another master key any more: old ones can be removed from PERSONAL_DATA_KEYS.'
          : `An instance with other settings has added keys under ${left.join(', ')} meanwhile: run it again.`
      }`,
    );
  });

const addKeysBackup: AddCommands = (keys, io, run) => {
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

/** How many keys overwriting a backup would lose: of an older restored database only the file has them (OP-01). @throws KeyFileDamaged */
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
