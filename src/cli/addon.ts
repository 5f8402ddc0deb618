import { addons, type AddonItem } from '../administration/addons.ts';
import type { Json } from '../administration/task.ts';
import { byName } from '../projections/by-name.ts';
import { addSecretCommands } from './addon-secret.ts';
import { addEntityCommands } from './administration.ts';
import type { AddCommands } from './define.ts';
import { addonSheet } from './present-addon.ts';
import { addRegisterCommand } from './register-addon.ts';

export const addAddonCommands: AddCommands = (program, io, run) => {
  const addon = program.command('addon').description('register, show, change, suspend and retire add-ons');
  addRegisterCommand(addon, io, run);
  addEntityCommands(addon, addons, io, run, {
    sheet: addonSheet,
    // Earlier scripts call `list` without options, and read every add-on in `addons`, by name.
    alsoListed: (items) => ({
      addons: byName(items as readonly AddonItem[], ({ client_id: id }) => id).map(asListed),
    }),
    limit: 1000,
    sayChanged: ['suspend', 'resume'],
  });
  addSecretCommands(addon, io, run);
};

const asListed = (addon: Json): Json =>
  Object.fromEntries(
    [
      'client_id',
      'name',
      'redirect_uris',
      'configuration_url',
      'scopes',
      'confidential',
      'suspended',
      'retired',
    ].map((key) => [key, addon[key]]),
  );
