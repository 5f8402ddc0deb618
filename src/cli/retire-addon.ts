import { retirementReceipts } from '../administration/addon-receipts.ts';
import { answer, refused, type Answer } from './answer.ts';
import { changing, type AddCommands } from './define.ts';
import { parseId } from './option-values.ts';
import { presentAddon } from './present-addon.ts';
import { withService, type CliService } from './service.ts';

/** `addon retire`: ends an add-on for good. */
export const addRetireCommand: AddCommands = (addon, io, run) => {
  changing(addon, 'retire', 'end an add-on for good, with everything that it holds')
    .argument('<id>', 'client_id of the add-on', parseId)
    .addHelpText(
      'after',
      '\nIt cannot be undone. If it was interrupted, run it again: it completes and prints the receipts.',
    )
    .action((id: string, { reason }: { readonly reason?: string }) =>
      run(() => withService(io, (service) => retire(service, id, reason))),
    );
};

const retire = async (service: CliService, addonId: string, reason: string | undefined): Promise<Answer> => {
  const { commands, actor, context } = service;
  const outcome = await commands.retireAddon(
    { addonId, by: actor.by, tokenId: actor.user?.tokenId ?? null },
    { ...context, ...(reason !== undefined && { reason }) },
  );
  if (!outcome.ok) return refused(outcome.refusal, endingRefusals(addonId)[outcome.refusal]);
  await service.settle(outcome.value.position);
  const addon = await commands.currentAddon(addonId);
  return addon === null ? answer({}, '') : presentAddon(addon, retirementReceipts(addonId, outcome.value));
};

export const endingRefusals = (addonId: string) => ({
  'addon-unknown': `no add-on has the client_id ${addonId}`,
  'read-models-behind':
    'what was changed holds, but the read models do not show all grants yet, so some may not have ended: run it again',
});
