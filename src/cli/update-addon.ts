import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { scopeReceipts, type AddonReceipt } from '../administration/addon-receipts.ts';
import { logoIn } from '../domain/addon-update.ts';
import { scopes, type Scope } from '../domain/scope.ts';
import { answer, refused, type Answer } from './answer.ts';
import { changing, type AddCommands } from './define.ts';
import { collect, oneOf, parseId, parseName, parseUrl } from './option-values.ts';
import { presentAddon } from './present-addon.ts';
import { endingRefusals } from './retire-addon.ts';
import { withService, type CliService } from './service.ts';

type Uris = readonly string[];

type UpdateOptions = {
  readonly name?: string;
  readonly addRedirectUri?: Uris;
  readonly removeRedirectUri?: Uris;
  readonly configurationUrl?: string;
  readonly scope?: readonly Scope[];
  readonly logo?: string;
  readonly publisher?: string;
  readonly website?: string;
  readonly privacyUrl?: string;
  readonly supportUrl?: string;
  readonly addPostLogoutRedirectUri?: Uris;
  readonly removePostLogoutRedirectUri?: Uris;
  readonly addAudience?: Uris;
  readonly removeAudience?: Uris;
  readonly applyToGrants?: true;
  readonly reason?: string;
};

/** `addon update`: changes the properties of an add-on that can change after registration. */
export const addUpdateCommand: AddCommands = (addon, io, run) => {
  const command = changing(addon, 'update', 'change an add-on');
  withOptions(command).action((id: string, options: UpdateOptions) => {
    const { reason: _, json: __, ...changes } = options as UpdateOptions & { readonly json?: true };
    if (Object.keys(changes).length === 0)
      command.error('error: nothing to change: give at least one option', { exitCode: 2 });
    return run(async () => {
      const logo = options.logo === undefined ? null : await readLogo(options.logo);
      if (options.logo !== undefined && logo === null)
        return refused('logo-unreadable', `the file ${options.logo} of --logo cannot be read`);
      return withService(io, (service) => update(service, id, options, logo));
    });
  });
};

const withOptions = (command: Command): Command =>
  command
    .argument('<id>', 'client_id of the add-on', parseId)
    .option('--name <name>', 'name that users see when they approve', parseName)
    .option(
      '--add-redirect-uri <uri...>',
      'another address that codes may be sent to; several may be given',
      collect(parseUrl),
    )
    .option(
      '--remove-redirect-uri <uri...>',
      'no code is sent there or exchanged for it any more, from the answer on',
      collect(parseUrl),
    )
    .option('--configuration-url <url>', 'where an administrator is sent after activating', parseUrl)
    .option(
      '--scope <scope...>',
      'what it may ask for, instead of what it may now; existing grants stay as they are without --apply-to-grants',
      collect(oneOf(scopes)),
    )
    .option('--logo <file>', 'a PNG or JPEG file of at most 64 kB')
    .option('--publisher <name>', 'who offers it', parseName)
    .option('--website <url>', 'its website (https)', parseUrl)
    .option('--privacy-url <url>', 'its privacy statement (https)', parseUrl)
    .option('--support-url <url>', 'where users get help (https)', parseUrl)
    .option(
      '--add-post-logout-redirect-uri <uri...>',
      'where it may have the browser sent after a sign-out; several may be given',
      collect(parseUrl),
    )
    .option('--remove-post-logout-redirect-uri <uri...>', 'no longer from there', collect(parseUrl))
    .option(
      '--add-audience <uri...>',
      'let it ask for access to this resource of another server (RFC 8707); several may be given',
      collect(parseUrl),
    )
    .option(
      '--remove-audience <uri...>',
      'refuse it from now on; existing grants do not change',
      collect(parseUrl),
    )
    .option(
      '--apply-to-grants',
      'revoke every grant that holds a scope which the add-on may no longer ask for, and print receipts; also when nothing else changes',
    )
    .addHelpText('after', '\nOur own API may always be asked for. Users approve each resource separately.');

/** In base64; null if it cannot be read. Longer files than a logo may have are refused later. */
const readLogo = async (file: string): Promise<string | null> => {
  try {
    return (await readFile(file)).toString('base64');
  } catch {
    return null;
  }
};

const update = async (
  service: CliService,
  addonId: string,
  options: UpdateOptions,
  logo: string | null,
): Promise<Answer> => {
  const { commands } = service;
  const context = { ...service.context, ...(options.reason !== undefined && { reason: options.reason }) };
  const picture = logo === null ? null : logoIn(logo);
  if (logo !== null && picture === null)
    return refused('addon-invalid', 'the add-on cannot be changed like this', [
      { field: 'logo', message: 'must be a PNG or JPEG file' },
    ]);
  const adding = [...new Set(options.addAudience ?? [])];
  const answerers = adding.length > 0 ? await findAnswerers(service) : new Map<string, string>();
  const outcome = await commands.updateAddon(
    {
      addonId,
      name: options.name ?? null,
      addRedirectUris: options.addRedirectUri ?? [],
      removeRedirectUris: options.removeRedirectUri ?? [],
      configurationUrl: options.configurationUrl ?? null,
      scopes: options.scope ?? null,
      logo: picture,
      publisher: options.publisher ?? null,
      website: options.website ?? null,
      privacyUrl: options.privacyUrl ?? null,
      supportUrl: options.supportUrl ?? null,
      addPostLogoutRedirectUris: options.addPostLogoutRedirectUri ?? [],
      removePostLogoutRedirectUris: options.removePostLogoutRedirectUri ?? [],
      addAudiences: adding.map((audience) => ({
        audience,
        resourceServerId: answerers.get(audience) ?? null,
      })),
      removeAudiences: [...new Set(options.removeAudience ?? [])],
    },
    context,
  );
  if (!outcome.ok) return refused(outcome.refusal, messages(addonId)[outcome.refusal], outcome.problems);
  if (outcome.value.position !== null) await service.settle(outcome.value.position);
  const receipts = options.applyToGrants && (await applyToGrants(service, addonId, context));
  if (receipts && 'exitCode' in receipts) return receipts;
  const addon = await commands.currentAddon(addonId);
  return addon === null ? answer({}, '') : presentAddon(addon, receipts);
};

const applyToGrants = async (
  service: CliService,
  addonId: string,
  context: CliService['context'],
): Promise<readonly AddonReceipt[] | Answer> => {
  const outcome = await service.commands.applyAddonScopes(addonId, context);
  if (!outcome.ok) return refused(outcome.refusal, endingRefusals(addonId)[outcome.refusal]);
  const { ended, position } = outcome.value;
  if (position !== null) await service.settle(position);
  return scopeReceipts(addonId, ended);
};

const messages = (addonId: string) => ({
  'addon-unknown': `no add-on has the client_id ${addonId}`,
  'addon-retired': 'the add-on has ended for good',
  'addon-invalid': 'the add-on cannot be changed like this',
  'too-many-audiences': 'an add-on may ask for 100 resources at most',
});

/** The add-on registered for each resource; the first one by name if there are several. */
const findAnswerers = async (service: CliService): Promise<ReadonlyMap<string, string>> => {
  await service.settle();
  const answerers = new Map<string, string>();
  for (const { addonId } of await service.readModels.addons())
    for (const audience of (await service.commands.findAddon(addonId))?.audiences ?? [])
      if (!answerers.has(audience)) answerers.set(audience, addonId);
  return answerers;
};
