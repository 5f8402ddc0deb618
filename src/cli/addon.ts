import { addSecretCommands } from './addon-secret.ts';
import { answer, refused, sheet, table, type Answer } from './answer.ts';
import { leaf, type AddCommands } from './define.ts';
import { parseId } from './option-values.ts';
import { addRegisterCommand } from './register-addon.ts';
import { withService, type CliService } from './service.ts';

export const addAddonCommands: AddCommands = (program, io, run) => {
  const addon = program.command('addon').description('register, list, show, suspend and resume add-ons');
  addRegisterCommand(addon, io, run);
  leaf(addon, 'list', 'list the add-ons').action(() => run(() => withService(io, list)));
  leaf(addon, 'show', 'show one add-on')
    .argument('<id>', 'client_id of the add-on', parseId)
    .action((id: string) => run(() => withService(io, (service) => show(service, id))));
  leaf(addon, 'suspend', 'refuse all tokens of an add-on until it is resumed')
    .argument('<id>', 'client_id of the add-on', parseId)
    .action((id: string) => run(() => withService(io, (service) => setSuspended(service, id, true))));
  leaf(addon, 'resume', 'lift the suspension of an add-on')
    .argument('<id>', 'client_id of the add-on', parseId)
    .action((id: string) => run(() => withService(io, (service) => setSuspended(service, id, false))));
  addSecretCommands(addon, io, run);
};

const list = async ({ readModels }: CliService): Promise<Answer> => {
  const addons = await readModels.addons();
  const rows = addons.map((addon) => [
    addon.addonId,
    addon.name,
    addon.confidential ? 'confidential' : 'public',
    addon.suspended ? 'suspended' : 'in use',
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
  }));
  return answer(
    { addons: json },
    rows.length === 0
      ? 'No add-on is registered yet.'
      : table(['client_id', 'name', 'kind', 'state', 'scopes'], rows),
  );
};

const listed = (values: readonly string[]): string => values.join('  ') || 'none';

const unknown = (id: string) => refused('addon-unknown', `no add-on has the client_id ${id}`);

/** Read from the log itself, not from the read models: right after a registration it is already there. */
const show = async ({ commands }: CliService, id: string): Promise<Answer> => {
  const addon = await commands.findAddon(id);
  if (addon === null) return unknown(id);
  const json = {
    client_id: addon.addonId,
    name: addon.name,
    redirect_uris: addon.redirectUris,
    configuration_url: addon.configurationUrl,
    scopes: addon.allowedScopes,
    confidential: addon.secretDigests.length > 0,
    grant_types: addon.grantTypes,
    post_logout_redirect_uris: addon.postLogoutRedirectUris,
    id_token_alg: addon.idTokenAlg,
    audiences: addon.audiences,
    suspended: addon.suspended,
  };
  return answer(
    json,
    sheet({
      client_id: json.client_id,
      name: json.name,
      'redirect URIs': listed(json.redirect_uris),
      'after a sign-out': listed(json.post_logout_redirect_uris),
      'configuration URL': json.configuration_url ?? 'none: it cannot be activated for an organization',
      scopes: listed(json.scopes),
      'grant types': listed(json.grant_types),
      'id_token signed by': json.id_token_alg,
      audiences: listed(json.audiences),
      kind: json.confidential ? 'confidential' : 'public',
      state: json.suspended ? 'suspended' : 'in use',
    }),
  );
};

const setSuspended = async (service: CliService, id: string, suspended: boolean): Promise<Answer> => {
  const { commands } = service;
  const outcome = await (suspended ? commands.suspendAddon(id) : commands.resumeAddon(id));
  if (!outcome.ok) return unknown(id);
  const { position } = outcome.value;
  if (position !== null) await service.settle(position);
  return answer(
    { client_id: id, suspended, changed: position !== null },
    position === null
      ? `Nothing to do: the add-on ${id} was ${suspended ? 'suspended' : 'in use'} already.`
      : suspended
        ? `Suspended: every token of ${id} is refused from now on.`
        : `Resumed: the tokens of ${id} work again.`,
  );
};
