import type { Session } from '../../commands/read-session.ts';

/** By the role of the account; which organizations were given to it is asked for each, of the log. */
export const isAuditor = ({ roles }: Session): boolean => roles.includes('auditor');
