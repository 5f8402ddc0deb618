import type { Browser } from '../browser.ts';
import type { Session } from '../../commands/read-session.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';

/** Where somebody is led who has asked for no page: who administers nothing to the histories as an auditor,
 * or else to `/operator` as an operator; all others to `/admin`. */
export const homeOf = async ({ readModels }: Browser, { userId, roles }: Session): Promise<string> => {
  const other = roles.includes('auditor') ? '/audit' : roles.includes('operator') ? '/operator' : null;
  if (other === null) return '/admin';
  const administered = await withTimeoutOrNull(1_000, readModels.organizationsAdministeredBy(userId));
  return administered?.length === 0 ? other : '/admin';
};
