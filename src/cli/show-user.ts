import { showUser as show } from '../administration/show-user.ts';
import { servicesOf } from './administration.ts';
import { refused } from './answer.ts';
import type { CliService } from './service.ts';

export const unknownUser = (id: string) => refused('user-unknown', `no account has the user_id ${id}`);

/** The account as `user show` answers it. */
export const shownUser = async (service: CliService, id: string) =>
  (await show(servicesOf(service), id)) ?? {};
