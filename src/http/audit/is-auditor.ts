import type { Role } from '../../domain/people/account.ts';

/** By the role of the account. Whether it may read a given organization is checked against the log. */
export const isAuditor = ({ roles }: { readonly roles: readonly Role[] }): boolean =>
  roles.includes('auditor');
