import { grants } from '../administration/grants.ts';
import { addEntityCommands } from './administration.ts';
import type { AddCommands } from './base/define.ts';

/** Grants of add-ons: who approved them, their state, and their last use. */
export const addGrantCommands: AddCommands = (program, io, run) =>
  addEntityCommands(program.command('grant'), grants, io, run);
