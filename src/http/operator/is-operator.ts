import type { Session } from '../../commands/read-session.ts';

/** By the role of the account. */
export const isOperator = ({ roles }: Pick<Session, 'roles'>): boolean => roles.includes('operator');
