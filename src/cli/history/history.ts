import type { AddCommands } from '../base/define.ts';
import { addHistoryArchive } from './archive.ts';
import { addHistoryStatus } from './status.ts';

/** Months of the timeline index, in the database or in files (docs/how-to/archive-history.md). */
export const addHistoryCommands: AddCommands = (program, io, run) => {
  const history = program.command('history').description('archive old months of the timeline');
  addHistoryStatus(history, io, run);
  addHistoryArchive(history, io, run);
};
