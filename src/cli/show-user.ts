import { loadAccount } from '../commands/load-account.ts';
import { isUlid } from '../domain/ids.ts';
import { answer, refused, sheet, type Answer } from './answer.ts';
import type { CliService } from './service.ts';

export const unknownUser = (id: string) => refused('user-unknown', `no account has the user_id ${id}`);

/** Reads the log, so a new user is found right after being created. */
export const showUser = async ({ store }: CliService, id: string): Promise<Answer> => {
  if (!isUlid(id)) return unknownUser(id);
  const { account } = await loadAccount(store, id);
  if (account.status === 'absent') return unknownUser(id);
  const { email, name, roles, status } = account;
  return answer(
    {
      user_id: id,
      email,
      name,
      roles,
      state: status,
      disabled: status !== 'enabled',
      erased: status === 'erased',
    },
    sheet({ user_id: id, email, name, roles: roles.join(' ') || 'none', state: status }),
  );
};
