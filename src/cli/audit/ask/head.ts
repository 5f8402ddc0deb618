import type { AuditAnswered } from '../../../administration/audit-questions.ts';
import { answered, refusedQuestion, type AuditService } from './service.ts';

/** The newest signed head, as it is stored outside. */
export const askHead = async ({ logHeads }: AuditService): Promise<AuditAnswered> => {
  const found = await logHeads.newest();
  if (!found) return refusedQuestion('no-head', 'no head was signed yet: --sign makes one');
  const { revision: _, ...shown } = found;
  return answered({ ...shown });
};
