import type { Command } from 'commander';
import { users } from '../../administration/users.ts';
import type { Role } from '../../domain/people/account.ts';
import { addEntityCommands } from '../administration.ts';
import { answer, refused, type Answer } from '../base/answer.ts';
import { changing, type AddCommands } from '../base/define.ts';
import { collect, parseId, parseName } from '../base/option-values.ts';
import { readPassword } from '../base/read-password.ts';
import { withService, type CliService } from '../base/service.ts';
import { addUserErase } from './erase.ts';
import { addTokenCommands } from './user-token.ts';

type CreateOptions = {
  readonly email: string;
  readonly name: string;
  readonly administratorOf?: readonly string[];
  readonly auditorOf?: readonly string[];
  readonly auditor?: true;
  readonly operator?: true;
};

export const addUserCommands: AddCommands = (program, io, run) => {
  const user = program
    .command('user')
    .description('create, list, show and change accounts, their roles and sessions');
  const create = changing(user, 'create', 'create an account; its password is read from standard input');
  create
    .requiredOption('--email <email>', 'e-mail address for signing in')
    .requiredOption('--name <name>', 'name of the person', parseName)
    .option(
      '--administrator-of <organization...>',
      'organization_id of an organization to administer; several may be given',
      collect(parseId),
    )
    .option('--auditor', 'may read the audit log of each organization of --auditor-of')
    .option(
      '--auditor-of <organization...>',
      'organization_id of an organization whose audit log to read; needs --auditor; several may be given',
      collect(parseId),
    )
    .option('--operator', 'may see the operator pages')
    .action((options: CreateOptions) =>
      run(async () => {
        if (options.auditorOf && !options.auditor) create.error('error: --auditor-of needs --auditor');
        const password = await readPassword(io);
        if (password === '') {
          create.error('error: the password is missing: type it, or pass it as one line on standard input');
        }
        return withService(io, (service) => createUser(service, options, password));
      }),
    );
  const add = (command: Command, action: (service: CliService, id: string) => Promise<Answer>) =>
    command
      .argument('<id>', 'user_id of the account', parseId)
      .action((id: string) => run(() => withService(io, (service) => action(service, id))));
  add(changing(user, 'unlock', 'reset the counters of failed sign-ins of the account'), unlock);
  addEntityCommands(user, users, io, run);
  addUserErase(user, io, run);
  addTokenCommands(user, io, run);
};

const createUser = async (
  service: CliService,
  { email, name, administratorOf = [], auditorOf = [], auditor, operator }: CreateOptions,
  password: string,
): Promise<Answer> => {
  const roles: readonly Role[] = [
    ...(auditor ? ['auditor' as const] : []),
    ...(operator ? ['operator' as const] : []),
  ];
  const outcome = await service.commands.createUser({
    email,
    name,
    password,
    administratorOf,
    auditorOf,
    roles,
  });
  if (!outcome.ok) return refused(outcome.refusal, refusals[outcome.refusal], outcome.problems);
  await service.settle();
  const { userId } = outcome.value;
  return answer({ user_id: userId }, `Created the account of ${name} with user_id ${userId}.`);
};

/** Blocked networks stay blocked: other accounts may be the reason. */
const unlock = async ({ commands }: CliService, id: string): Promise<Answer> => {
  const outcome = await commands.unblockSignIn(id);
  if (!outcome.ok) return unknownUser(id);
  const { forgotten } = outcome.value;
  return answer({ user_id: id, forgotten }, `Reset ${forgotten} counters of failed sign-ins of ${id}.`);
};

const refusals = {
  'email-taken': 'another account has this e-mail address',
  'organization-unknown': 'an organization of --administrator-of or --auditor-of does not exist',
  invalid: 'the account cannot be created like this',
};

const unknownUser = (id: string) =>
  refused('user-unknown', `no account has the user_id ${id}; grantbook user list --search NAME finds users`);
