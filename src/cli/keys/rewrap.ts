import { answer, refused, type Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { presentMaster } from './present-master.ts';
import { withKeyKeeping } from './with-key-keeping.ts';

export const addKeysRewrap: AddCommands = (keys, io, run) => {
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
