import type { Role } from '../../domain/people/account.ts';
import type { Session } from '../../commands/sign-in/read-session.ts';

/** By the role of the account. Whether it may read a given organization is checked against the log. */
export const isAuditor = ({ roles }: { readonly roles: readonly Role[] }): boolean =>
  roles.includes('auditor');

/** By the role of the account. */
export const isOperator = ({ roles }: Pick<Session, 'roles'>): boolean => roles.includes('operator');
