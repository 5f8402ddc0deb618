import type { Command } from 'commander';
import type { CliIo } from '../base/cli-io.ts';
import { answer, refused, table, type Answer } from '../base/answer.ts';
import { changing, leaf, type Run } from '../base/define.ts';
import { parseId } from '../base/option-values.ts';
import { withService, type CliService } from '../base/service.ts';

/** Rotation with an overlap (AD-02): add a secret, pass it to the add-on's provider, remove the old one. */
export const addSecretCommands = (addon: Command, io: CliIo, run: Run): void => {
  const secret = addon.command('secret').description('rotate the client secrets of a confidential add-on');
  const ofAddon = (name: string, description: string, define = changing) =>
    define(secret, name, description).argument('<id>', 'client_id of the add-on', parseId);
  ofAddon('add', 'create an additional client_secret and print it once; existing ones stay valid').action(
    (id: string) => run(() => withService(io, (service) => add(service, id))),
  );
  ofAddon('remove', 'remove a client_secret; the last one cannot be removed')
    .argument('<secret>', 'secret_id, as printed by add and list', parseId)
    .action((id: string, secretId: string) =>
      run(() => withService(io, (service) => remove(service, id, secretId))),
    );
  ofAddon('list', 'list the valid secrets, without their values', leaf).action((id: string) =>
    run(() => withService(io, (service) => list(service, id))),
  );
};

const add = async ({ commands }: CliService, id: string): Promise<Answer> => {
  const outcome = await commands.addAddonSecret(id);
  if (!outcome.ok) return refused(outcome.refusal, refusals[outcome.refusal]);
  const { secretId, clientSecret } = outcome.value;
  return answer(
    { client_id: id, secret_id: secretId, client_secret: clientSecret },
    `Added the secret ${secretId}; a running service accepts it within 5 seconds.\nThe client_secret, shown only now: ${clientSecret}`,
  );
};

const remove = async ({ commands }: CliService, id: string, secretId: string): Promise<Answer> => {
  const outcome = await commands.removeAddonSecret({ addonId: id, secretId });
  if (!outcome.ok) return refused(outcome.refusal, refusals[outcome.refusal]);
  return answer(
    { client_id: id, secret_id: secretId, removed: true },
    `Removed the secret ${secretId}; a running service refuses it within 5 seconds.`,
  );
};

const list = async ({ commands }: CliService, id: string): Promise<Answer> => {
  const secrets = await commands.listAddonSecrets(id);
  if (secrets === null) return refused('addon-unknown', refusals['addon-unknown']);
  const rows = secrets.map(({ secretId, addedAt }) => [secretId, new Date(addedAt).toISOString()]);
  const json = rows.map(([secret_id, added_at]) => ({ secret_id, added_at }));
  return answer(
    { client_id: id, secrets: json },
    rows.length === 0 ? 'The add-on is public: it has no secret.' : table(['secret_id', 'added'], rows),
  );
};

const refusals = {
  'addon-unknown': 'no add-on has this client_id',
  'addon-public': 'the add-on is public: register it with --confidential to give it secrets',
  'too-many-secrets': 'the add-on has the maximum number of secrets; remove one first',
  'secret-unknown': 'the add-on has no such secret',
  'last-secret': 'it is the last secret of the add-on; add another one first',
};
