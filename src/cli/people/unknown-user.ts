import { refused } from '../base/answer.ts';

export const unknownUser = (id: string) =>
  refused('user-unknown', `no account has the user_id ${id}; grantbook user list --search NAME finds users`);
