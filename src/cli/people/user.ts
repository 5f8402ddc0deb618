import { users } from '../../administration/users.ts';
import { addEntityCommands } from '../administration.ts';
import type { AddCommands } from '../base/define.ts';

export const addUserCommands: AddCommands = (program, io, run) => {
  const user = program
    .command('user')
    .description('create, list, show and change accounts, their roles and sessions');
  addEntityCommands(user, users, io, run, {
    groups: { token: 'tokens for the programs of an administrator, an operator or an auditor' },
  });
};
