import type { Command } from 'commander';
import { scopes, type Scope } from '../domain/scope.ts';
import { addSecretCommands } from './addon-secret.ts';
import { answer, refused, sheet, table, type Answer } from './answer.ts';
import { leaf, type AddCommands } from './define.ts';
import { collect, oneOf, parseId, parseName, parseUrl } from './option-values.ts';
import { withService, type CliService } from './service.ts';

type RegisterOptions = {
  readonly name: string;
  readonly redirectUri: readonly string[];
  readonly configurationUrl?: string;
  readonly scope?: readonly Scope[];
  readonly confidential?: true;
};

export const addAddonCommands: AddCommands = (program, io, run) => {
  const addon = program.command('addon').description('register, list, show, suspend and resume add-ons');
  registerOptions(leaf(addon, 'register', 'register an add-on and answer its client_id')).action(
    (options: RegisterOptions) => run(() => withService(io, (service) => register(service, options))),
  );
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

const registerOptions = (command: Command): Command =>
  command
    .requiredOption('--name <name>', 'name that users see when they approve', parseName)
    .requiredOption(
      '--redirect-uri <uri...>',
      'where the browser is sent with the code; several may be given',
      collect(parseUrl),
    )
    .option('--configuration-url <url>', 'where an administrator is sent after activating', parseUrl)
    .option(
      '--scope <scope...>',
      `what the add-on may ask for (default: ${scopes.join(' ')})`,
      collect(oneOf(scopes)),
    )
    .option('--confidential', 'the add-on can keep a secret: answer a client_secret, once');

const register = async (service: CliService, options: RegisterOptions): Promise<Answer> => {
  const outcome = await service.commands.registerAddon({
    name: options.name,
    redirectUris: options.redirectUri,
    configurationUrl: options.configurationUrl ?? null,
    allowedScopes: options.scope ?? scopes,
    confidential: options.confidential ?? false,
  });
  if (!outcome.ok)
    return refused(outcome.refusal, 'the add-on cannot be registered like this', outcome.problems);
  await service.settle();
  const { clientId, clientSecret } = outcome.value;
  return answer(
    { client_id: clientId, ...(clientSecret === null ? {} : { client_secret: clientSecret }) },
    clientSecret === null
      ? `Registered "${options.name}" with client_id ${clientId}.`
      : `Registered "${options.name}" with client_id ${clientId}.\nIts client_secret, shown only now: ${clientSecret}`,
  );
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
    suspended: addon.suspended,
  };
  return answer(
    json,
    sheet({
      client_id: json.client_id,
      name: json.name,
      'redirect URIs': json.redirect_uris.join('  '),
      'configuration URL': json.configuration_url ?? 'none',
      scopes: json.scopes.join(' '),
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
