import { idTokenAlgs, type IdTokenAlg } from '../domain/addon.ts';
import type { ListedKey } from '../signing/signing-keys.ts';
import { answer, refused, table, type Answer } from './answer.ts';
import { leaf, type AddCommands } from './define.ts';
import { oneOf } from './option-values.ts';
import { withService, type CliService } from './service.ts';

/** The keys that sign id_tokens; those of the tokens themselves are the setting TOKEN_KEYS. */
export const addKeysCommands: AddCommands = (program, io, run) => {
  const keys = program.command('keys').description('rotate the keys that sign id_tokens');
  leaf(keys, 'rotate', 'publish a new key now; it signs ten minutes later')
    .option('--alg <alg>', 'which of the keys to rotate', oneOf(idTokenAlgs), 'RS256')
    .action(({ alg }: { readonly alg: IdTokenAlg }) =>
      run(() => withService(io, (service) => rotate(service, alg))),
    );
  leaf(keys, 'list', 'list the keys and what each is for').action(() => run(() => withService(io, list)));
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

const list = async ({ signingKeys }: CliService): Promise<Answer> => {
  const keys = (await signingKeys.list()).map(present);
  const rows = keys.map((key) => [key.kid, key.alg, key.state, key.current_from]);
  return answer(
    { keys },
    rows.length === 0
      ? 'There is no key yet: the first one is made when it is needed.'
      : table(['kid', 'alg', 'state', 'signs from'], rows),
  );
};

const present = ({ kid, alg, state, createdAt, currentFrom }: ListedKey) => ({
  kid,
  alg,
  state,
  created_at: new Date(createdAt).toISOString(),
  current_from: new Date(currentFrom).toISOString(),
});
