import type { Session } from '../../commands/sign-in/read-session.ts';

/** By the role of the account. */
export const isOperator = ({ roles }: Pick<Session, 'roles'>): boolean => roles.includes('operator');
