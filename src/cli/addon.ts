import { addSecretCommands } from './addon-secret.ts';
import { answer, refused, table, type Answer } from './answer.ts';
import { leaf, type AddCommands } from './define.ts';
import { parseId } from './option-values.ts';
import { presentAddon, stateOf } from './present-addon.ts';
import { addRegisterCommand } from './register-addon.ts';
import { addRetireCommand } from './retire-addon.ts';
import { addUpdateCommand } from './update-addon.ts';
import { withService, type CliService } from './service.ts';

export const addAddonCommands: AddCommands = (program, io, run) => {
  const addon = program.command('addon').description('register, show, change, suspend and retire add-ons');
  addRegisterCommand(addon, io, run);
  leaf(addon, 'list', 'list the add-ons').action(() => run(() => withService(io, list)));
  leaf(addon, 'show', 'show one add-on')
    .argument('<id>', 'client_id of the add-on', parseId)
    .action((id: string) => run(() => withService(io, (service) => show(service, id))));
  addUpdateCommand(addon, io, run);
  leaf(addon, 'suspend', 'refuse all tokens of an add-on until it is resumed')
    .argument('<id>', 'client_id of the add-on', parseId)
    .action((id: string) => run(() => withService(io, (service) => setSuspended(service, id, true))));
  leaf(addon, 'resume', 'lift the suspension of an add-on')
    .argument('<id>', 'client_id of the add-on', parseId)
    .action((id: string) => run(() => withService(io, (service) => setSuspended(service, id, false))));
  addRetireCommand(addon, io, run);
  addSecretCommands(addon, io, run);
};

const list = async ({ readModels }: CliService): Promise<Answer> => {
  const addons = await readModels.addons();
  const rows = addons.map((addon) => [
    addon.addonId,
    addon.name,
    addon.confidential ? 'confidential' : 'public',
    stateOf(addon),
    addon.allowedScopes.join(' '),
  ]);
  const json = addons.map((addon) => ({
    client_id: addon.addonId,
    name: addon.name,
    redirect_uris: addon.redirectUris,
    configuration_url: addon.configurationUrl,
    scopes: addon.allowedScopes,
    confidential: addon.confidential,
    suspended: addon.suspended,
    retired: addon.retired,
  }));
  return answer(
    { addons: json },
    rows.length === 0
      ? 'No add-on is registered yet.'
      : table(['client_id', 'name', 'kind', 'state', 'scopes'], rows),
  );
};

const unknown = (id: string) => refused('addon-unknown', `no add-on has the client_id ${id}`);

/** Reads the log, not the read models, so a new add-on is found right after its registration. */
const show = async ({ commands }: CliService, id: string): Promise<Answer> => {
  const addon = await commands.findAddon(id);
  return addon === null ? unknown(id) : presentAddon(addon);
};

const setSuspended = async (service: CliService, id: string, suspended: boolean): Promise<Answer> => {
  const { commands } = service;
  const outcome = await (suspended ? commands.suspendAddon(id) : commands.resumeAddon(id));
  if (!outcome.ok)
    return outcome.refusal === 'addon-unknown'
      ? unknown(id)
      : refused(outcome.refusal, 'the add-on has ended for good');
  const { position } = outcome.value;
  if (position !== null) await service.settle(position);
  return answer(
    { client_id: id, suspended, changed: position !== null },
    position === null
      ? `Nothing to do: the add-on ${id} is already ${suspended ? 'suspended' : 'in use'}.`
      : suspended
        ? `Suspended: every token of ${id} is refused from now on.`
        : `Resumed: the tokens of ${id} work again.`,
  );
};
