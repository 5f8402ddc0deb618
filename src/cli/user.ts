import type { Command } from 'commander';
import { users } from '../administration/users.ts';
import type { Role } from '../domain/account.ts';
import { addEntityCommands } from './administration.ts';
import { answer, refused, type Answer } from './answer.ts';
import { leaf, type AddCommands } from './define.ts';
import { addUserErase } from './erase.ts';
import { collect, parseId, parseName } from './option-values.ts';
import { readPassword } from './read-password.ts';
import { withService, type CliService } from './service.ts';
import { unknownUser } from './unknown-user.ts';
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
    .summary('accounts, their roles and sessions')
    .description('create, list, show and change accounts, their roles and sessions');
  const create = leaf(user, 'create', 'create an account; its password is read from standard input');
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
  add(leaf(user, 'disable', "refuse the user, and end all grants of the user's own data"), disable);
  add(leaf(user, 'enable', 'let the user sign in again; ended grants stay ended'), enable);
  add(leaf(user, 'unlock', 'reset the counters of failed sign-ins of the account'), unlock);
  addEntityCommands(user, users, io, run, ['disable', 'enable']);
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

const disable = (service: CliService, id: string) =>
  changed(
    service,
    id,
    true,
    `Disabled: ${id} is refused, and every token for the user's own data has ended.`,
  );

const enable = (service: CliService, id: string) =>
  changed(service, id, false, `Enabled: ${id} may sign in again. What was granted before has ended.`);

/** Blocked networks stay blocked: other accounts may be the reason. */
const unlock = async ({ commands }: CliService, id: string): Promise<Answer> => {
  const outcome = await commands.unblockSignIn(id);
  if (!outcome.ok) return unknownUser(id);
  const { forgotten } = outcome.value;
  return answer({ user_id: id, forgotten }, `Reset ${forgotten} counters of failed sign-ins of ${id}.`);
};

const changed = async (service: CliService, id: string, disabled: boolean, text: string): Promise<Answer> => {
  const { commands } = service;
  const outcome = await (disabled ? commands.disableUser(id) : commands.enableUser(id));
  if (!outcome.ok)
    return outcome.refusal === 'user-erased'
      ? refused(outcome.refusal, `the account ${id} was erased, which cannot be undone`)
      : unknownUser(id);
  const { position } = outcome.value;
  if (position !== null) await service.settle(position);
  return answer({ user_id: id, disabled }, text);
};

const refusals = {
  'email-taken': 'another account has this e-mail address',
  'organization-unknown': 'an organization of --administrator-of or --auditor-of does not exist',
  invalid: 'the account cannot be created like this',
};
