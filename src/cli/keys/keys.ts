import type { IdTokenAlg } from '../../domain/addons/addon.ts';
import { idTokenAlgs } from '../../domain/addons/events.ts';
import type { ListedKey } from '../../signing/signing-keys.ts';
import { answer, refused, table, type Answer } from '../base/answer.ts';
import { leaf, type AddCommands } from '../base/define.ts';
import { addKeysBackup } from './backup.ts';
import { presentMaster } from './present-master.ts';
import { addKeysRestore } from './restore.ts';
import { addKeysRewrap } from './rewrap.ts';
import { oneOf } from '../base/option-values.ts';
import { withService, type CliService } from '../base/service.ts';

/** The keys that sign id_tokens, and those of personal data; keys of tokens are in the setting TOKEN_KEYS. */
export const addKeysCommands: AddCommands = (program, io, run) => {
  const keys = program.command('keys').description('rotate signing keys; back up keys of personal data');
  leaf(keys, 'rotate', 'publish a new key now; it signs ten minutes later')
    .option('--alg <alg>', 'which of the keys to rotate', oneOf(idTokenAlgs), 'RS256')
    .action(({ alg }: { readonly alg: IdTokenAlg }) =>
      run(() => withService(io, (service) => rotate(service, alg))),
    );
  leaf(keys, 'list', 'list the keys and their state').action(() => run(() => withService(io, list)));
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

const list = async ({ signingKeys, keysOfPersons }: CliService): Promise<Answer> => {
  const keys = (await signingKeys.list()).map(present);
  const untrusted = await signingKeys.untrusted();
  const masters = (await keysOfPersons.keeping.countByMaster()).map(presentMaster);
  const rows = keys.map((key) => [key.kid, key.alg, key.state, key.current_from]);
  const text = [
    rows.length === 0
      ? 'There is no key yet: the first one is made when it is needed.'
      : table(['kid', 'alg', 'state', 'signs from'], rows),
    ...untrusted.map(
      ({ kid, why }) => `Not written by a holder of TOKEN_KEYS, so not published: ${kid} (${why})`,
    ),
    ...masters.map(
      ({ id, keys: count, current }) =>
        `Keys of personal data under ${id}${current ? '' : ', not the current one of PERSONAL_DATA_KEYS'}: ${count}`,
    ),
  ].join('\n');
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

const timeOrNull = (instant: number | null): string | null =>
  instant === null ? null : new Date(instant).toISOString();
