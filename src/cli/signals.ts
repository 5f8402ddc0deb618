import { signals } from '../administration/signals.ts';
import { addEntityCommands } from './administration.ts';
import type { AddCommands } from './base/define.ts';

/** The streams by which add-ons are notified of changes of their access. */
export const addSignalsCommands: AddCommands = (program, io, run) =>
  addEntityCommands(program.command('signals'), signals, io, run);
