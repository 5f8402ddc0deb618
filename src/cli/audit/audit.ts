import { addAsOfCommand } from './as-of.ts';
import { addAuditCheckLog } from './check-log.ts';
import { addAuditDeposits } from './deposits.ts';
import { addAuditExport } from './export.ts';
import { addAuditHead } from './head.ts';
import { addExposureCommand } from './exposure.ts';
import { addReplayCommand } from './replay.ts';
import { addTimelineCommand } from './timeline.ts';
import { addAuditVerify } from './verify.ts';
import type { AddCommands } from '../base/define.ts';

const commands = [
  addTimelineCommand,
  addReplayCommand,
  addAsOfCommand,
  addExposureCommand,
  addAuditExport,
  addAuditVerify,
  addAuditHead,
  addAuditCheckLog,
  addAuditDeposits,
];

export const addAuditCommands: AddCommands = (program, io, run) => {
  const audit = program.command('audit').description('query, export and verify the audit log');
  for (const add of commands) add(audit, io, run);
};
