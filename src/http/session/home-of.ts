import type { Session } from '../../commands/commands.ts';
import type { Browser } from '../browser.ts';
import { inTime } from '../in-time.ts';

/** Where somebody is led who has asked for no page: auditors who administer nothing to the histories, all others to `/admin`. */
export const homeOf = async ({ readModels }: Browser, { userId, roles }: Session): Promise<string> => {
  if (!roles.includes('auditor')) return '/admin';
  const administered = await inTime(1_000, readModels.organizationsAdministeredBy(userId));
  return administered?.length === 0 ? '/audit' : '/admin';
};
