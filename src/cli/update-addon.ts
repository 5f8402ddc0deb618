import { answer, refused, type Answer } from './answer.ts';
import { leaf, type AddCommands } from './define.ts';
import { collect, parseId, parseUrl } from './option-values.ts';
import { presentAddon } from './present-addon.ts';
import { withService, type CliService } from './service.ts';

type UpdateOptions = {
  readonly addAudience?: readonly string[];
  readonly removeAudience?: readonly string[];
};

/** `addon update`: changes the properties of an add-on that can change after registration. */
export const addUpdateCommand: AddCommands = (addon, io, run) => {
  const command = leaf(addon, 'update', 'change what an add-on may ask for');
  command
    .argument('<id>', 'client_id of the add-on', parseId)
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
    .addHelpText('after', '\nOur own API may always be asked for. Users approve each resource separately.')
    .action((id: string, { addAudience = [], removeAudience = [] }: UpdateOptions) => {
      if (addAudience.length + removeAudience.length === 0)
        command.error('error: nothing to change: give --add-audience or --remove-audience', { exitCode: 2 });
      return run(() => withService(io, (service) => update(service, id, addAudience, removeAudience)));
    });
};

const update = async (
  service: CliService,
  addonId: string,
  add: readonly string[],
  remove: readonly string[],
): Promise<Answer> => {
  const { commands } = service;
  const answerers = add.length > 0 ? await findAnswerers(service) : new Map<string, string>();
  const outcome = await commands.changeAudiences({
    addonId,
    add: [...new Set(add)].map((audience) => ({
      audience,
      resourceServerId: answerers.get(audience) ?? null,
    })),
    remove: [...new Set(remove)],
  });
  if (!outcome.ok) return refused(outcome.refusal, messages(addonId)[outcome.refusal], outcome.problems);
  if (outcome.value.position !== null) await service.settle(outcome.value.position);
  const addon = await commands.findAddon(addonId);
  return addon === null ? answer({}, '') : presentAddon(addon);
};

const messages = (addonId: string) => ({
  'addon-unknown': `no add-on has the client_id ${addonId}`,
  'audience-invalid': 'the add-on cannot be changed like this',
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
