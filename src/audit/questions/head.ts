import { Interrupted } from '../interrupted.ts';
import type { LogHead } from '../log-heads/read-heads.ts';
import { LogChanged } from '../log-heads/sign-head.ts';
import { TilesDamaged } from '../log-tiles/tile.ts';
import type { AuditAnswered } from '../../tasks/audit-questions.ts';
import { answered, refusedQuestion, type AuditService, type How } from './service.ts';

/** The newest signed head, as it is stored outside. */
export const askHead = async ({ logHeads }: AuditService): Promise<AuditAnswered> => {
  const found = await logHeads.newest();
  if (!found) return refusedQuestion('no-head', 'no head was signed yet: --sign makes one');
  const { revision: _, ...shown } = found;
  return answered({ ...shown });
};

/** A new head over the whole log. */
export const signHead = async (
  { logHeads }: Pick<AuditService, 'logHeads'>,
  { signal }: How,
): Promise<LogHead | ReturnType<typeof refusedQuestion>> => {
  try {
    const head = await logHeads.sign(signal);
    return head ?? refusedQuestion('log-empty', 'the log is empty: there is nothing to sign');
  } catch (error) {
    if (error instanceof LogChanged || error instanceof TilesDamaged)
      return refusedQuestion('log-changed', error.message);
    if (error instanceof Interrupted)
      return refusedQuestion('interrupted', 'it was interrupted: nothing was signed');
    throw error;
  }
};
