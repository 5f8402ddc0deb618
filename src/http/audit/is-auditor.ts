import type { Session } from '../../commands/read-session.ts';

/** By the role of the account. Whether it may read a given organization is checked against the log. */
export const isAuditor = ({ roles }: Session): boolean => roles.includes('auditor');
