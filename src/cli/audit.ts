import { addAsOfCommand } from './audit/as-of.ts';
import { addAuditCheckLog } from './audit/check-log.ts';
import { addAuditDeposits } from './audit/deposits.ts';
import { addAuditExport } from './audit/export.ts';
import { addAuditHead } from './audit/head.ts';
import { addExposureCommand } from './audit/exposure.ts';
import { addReplayCommand } from './audit/replay.ts';
import { addTimelineCommand } from './audit/timeline.ts';
import { addAuditVerify } from './audit/verify.ts';
import type { AddCommands } from './define.ts';

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
