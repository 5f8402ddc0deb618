import type { Browser } from '../base/browser.ts';
import type { Session } from '../../commands/sign-in/read-session.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';

/**
 * The page after a sign-in without a destination: `/admin` for users who administer an organization; otherwise the
 * audit logs for auditors, `/operator` for operators, and `/admin` for all others.
 */
export const homeOf = async ({ readModels }: Browser, { userId, roles }: Session): Promise<string> => {
  const other = roles.includes('auditor') ? '/audit' : roles.includes('operator') ? '/operator' : null;
  if (other === null) return '/admin';
  const administered = await withTimeoutOrNull(1_000, readModels.organizationsAdministeredBy(userId));
  return administered?.length === 0 ? other : '/admin';
};
