import { open, type FileHandle } from 'node:fs/promises';
import { personOfStream } from '../../domain/personal-data.ts';
import { connectEventStore } from '../../eventstore/client/esdb.ts';
import { silent } from '../../eventstore/logger.ts';
import { KeyFileDamaged, readKeyFile } from '../../personal/key-file.ts';
import type { KeyKeeping, Restored } from '../../personal/key-keeping.ts';
import { answer, refused, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { agreed, notConfirmed } from '../base/confirm.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { fileTrouble } from '../base/whole-file.ts';
import { withKeyKeeping } from './with-key-keeping.ts';

export const addKeysRestore: AddCommands = (keys, io, run) => {
  leaf(keys, 'restore', 'restore keys of personal data that are missing in the database')
    .argument('<file>', 'a file of `keys backup`')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', '\nKeys of erased persons are not restored; existing keys are kept.')
    .action((file: string, { yes = false }: { readonly yes?: boolean }) =>
      run(async () => {
        const warning = `This adds the keys of ${file} to the database: what was encrypted with them can be read again.`;
        return (await agreed(io, { yes, word: 'restore', warning })) ? restore(io, file) : notConfirmed;
      }),
    );
};

const restore = async (io: CliIo, file: string): Promise<Answer> => {
  let handle: FileHandle | null = null;
  try {
    const opened = (handle = await open(file, 'r'));
    return await withKeyKeeping(io, { eventStore: true }, async (keeping, { eventStoreUrl }) => {
      await checkAll(keeping, opened);
      const erased = await erasedIn(eventStoreUrl, io.signal);
      if (io.signal.aborted) return refused('interrupted', 'it was interrupted; nothing was written');
      return present(await keeping.restore(keysIn(opened), (subject) => erased.has(subject)));
    });
  } catch (error) {
    if (error instanceof KeyFileDamaged)
      return refused('file-damaged', `${file} is not a complete backup: ${error.message}`);
    const trouble = fileTrouble(error);
    if (trouble !== null) return refused('not-read', `${file} cannot be read (${trouble})`);
    throw error;
  } finally {
    await handle?.close();
  }
};

/** The file is read twice: nothing is written before all of it is verified to be complete and ours. */
const keysIn = (handle: FileHandle) =>
  readKeyFile(handle.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>);

const checkAll = async (keeping: KeyKeeping, handle: FileHandle): Promise<void> => {
  for await (const key of keysIn(handle)) keeping.checkKey(key);
};

/** The log knows who was erased, even if the database was restored from an older backup. */
const erasedIn = async (url: string, signal: AbortSignal): Promise<ReadonlySet<string>> => {
  const store = connectEventStore({ url, logger: silent });
  try {
    const erased = new Set<string>();
    const only = { eventTypes: ['AccountErased', 'ProfileErased'] };
    for await (const { stream } of store.readLog({ after: null, only, signal }))
      erased.add(personOfStream(stream));
    return erased;
  } finally {
    await store.close();
  }
};

const present = ({ emailsReplaced, ...counts }: Restored): Answer => {
  const { added, present: there, erased, replaced } = counts;
  const earlier = replaced - (emailsReplaced ? 1 : 0);
  return answer(
    { ...counts, emails_replaced: emailsReplaced },
    [
      `Restored ${added} keys; ${there} already existed, ${erased} belong to erased persons and were not restored.`,
      ...(earlier === 0
        ? []
        : [`${earlier} of them belong to persons who have a newer key: both are kept and used.`]),
      ...(emailsReplaced
        ? [
            'The key for digests of e-mail addresses has changed and was not replaced: older accounts cannot sign in.',
          ]
        : []),
      ...(added === 0
        ? []
        : [
            'Read models that were built without them say key lost until they are rebuilt: docs/how-to/back-up-and-restore.md, "Keys of persons are lost".',
          ]),
    ].join('\n'),
  );
};
