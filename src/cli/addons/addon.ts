import { addons } from '../../administration/addons.ts';
import { addSecretCommands } from './addon-secret.ts';
import { addEntityCommands } from '../administration.ts';
import type { AddCommands } from '../base/define.ts';
import { addonSheet } from './present-addon.ts';
import { addRegisterCommand } from './register-addon.ts';

export const addAddonCommands: AddCommands = (program, io, run) => {
  const addon = program.command('addon').description('register, show, change, suspend and retire add-ons');
  addRegisterCommand(addon, io, run);
  addEntityCommands(addon, addons, io, run, {
    sheet: addonSheet,
    limit: 1000,
    sayChanged: ['suspend', 'resume'],
  });
  addSecretCommands(addon, io, run);
};
