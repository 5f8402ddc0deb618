import { addAuditExport } from './audit/export.ts';
import { addAuditVerify } from './audit/verify.ts';
import type { AddCommands } from './define.ts';

export const addAuditCommands: AddCommands = (program, io, run) => {
  const audit = program.command('audit').description('what happened, and how to prove it');
  addAuditExport(audit, io, run);
  addAuditVerify(audit, io, run);
};
